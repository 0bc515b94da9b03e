/* SPDX-License-Identifier: Apache-2.0 */
/* A table of threads that lived at the last switch, with the difference that each keeps. */
#include "jvm_account.h"

#include <errno.h>
#include <stdlib.h>

#include "clock_id.h"
#include "lock.h"
#include "task_folder.h"
#include "thread_identity.h"

struct continued {
    pid_t tid;
    struct tc_thread_identity identity;
    int64_t ahead_ns; /* what libjvm sees, less the source that answers now */
    int64_t seen_ns;  /* what it saw at the switch; it sees no less afterwards */
};

struct table {
    struct continued *threads; /* by TID */
    size_t count, capacity;
};

static struct {
    struct tc_lock lock;
    struct table now;
    /* Of the switch under way. */
    struct table next;
    user_time_source *from, *to;
} account;

static int compare(const void *left, const void *right)
{
    pid_t a = ((const struct continued *)left)->tid, b = ((const struct continued *)right)->tid;
    return (a > b) - (a < b);
}

/* What libjvm sees of the thread for which its source says this. */
static int64_t continued(pid_t tid, int64_t user_ns)
{
    struct continued key = {.tid = tid};
    struct continued *found = account.now.count == 0
        ? NULL : bsearch(&key, account.now.threads, account.now.count, sizeof key, compare);
    /* The TID may have become another thread's. If that cannot be known, it most likely has not. */
    if (user_ns < 0 || found == NULL || tc_thread_check(tid, 0, &found->identity) == -ESRCH)
        return user_ns;
    int64_t continued_ns = user_ns + found->ahead_ns;
    return continued_ns > found->seen_ns ? continued_ns : found->seen_ns;
}

static bool has_room(struct table *table)
{
    if (table->count < table->capacity)
        return true;
    size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    struct continued *threads = realloc(table->threads, capacity * sizeof *threads);
    if (threads == NULL)
        return false;
    table->threads = threads;
    table->capacity = capacity;
    return true;
}

/*
 * A thread for which more user time was seen than it has run continues from its run time, once that has
 * caught up: Flight Recorder adds the excess to the total of each event, and waits until that is exceeded.
 */
static int keep(pid_t tid, uint64_t inode)
{
    (void)inode;
    struct continued thread = {.tid = tid, .seen_ns = continued(tid, account.from(tid))};
    char name[TC_NAME_BYTES];
    int64_t next_ns = account.to(tid), total_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED);
    if (thread.seen_ns < 0 || next_ns < 0 || total_ns < 0
        || tc_thread_identify(tid, &thread.identity, name) != 0)
        return 0;
    thread.ahead_ns = (thread.seen_ns < total_ns ? thread.seen_ns : total_ns) - next_ns;
    if ((thread.ahead_ns != 0 || thread.seen_ns > next_ns) && has_room(&account.next))
        account.next.threads[account.next.count++] = thread;
    return 0;
}

void jvm_account_switch(user_time_source *from, user_time_source *to, void (*done)(void))
{
    uint64_t signals = tc_signals_block();
    tc_lock(&account.lock);
    account.from = from;
    account.to = to;
    tc_task_list(keep);
    free(account.now.threads);
    account.now = account.next;
    account.next = (struct table){NULL, 0, 0};
    if (account.now.count > 0)
        qsort(account.now.threads, account.now.count, sizeof *account.now.threads, compare);
    done();
    tc_unlock(&account.lock);
    tc_signals_restore(signals);
}

int64_t jvm_account_read(user_time_source *source, pid_t tid)
{
    uint64_t signals = tc_signals_block();
    tc_lock(&account.lock);
    int64_t user_ns = continued(tid, source(tid));
    tc_unlock(&account.lock);
    tc_signals_restore(signals);
    return user_ns;
}

bool jvm_account_is_needed(void)
{
    return __atomic_load_n(&account.now.count, __ATOMIC_RELAXED) > 0;
}
