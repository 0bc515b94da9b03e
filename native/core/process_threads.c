/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of this process by their TIDs, registered or not: one, or all in one pass. */
#include <errno.h>
#include <stddef.h>

#include "lock.h"
#include "slot.h"
#include "sys.h"
#include "proc_stat.h"
#include "task_folder.h"
#include "thread_identity.h"
#include "threads.h"
#include "tick.h"

/*
 * A thread that was read by its TID. Its account is private to such reads, and merged with its registration's
 * while it has one.
 */
struct known {
    struct tc_slot slot;
    uint64_t share_at_tick; /* see threads.h */
    struct tc_thread_identity identity;
    uint64_t serial;
    uint64_t java_id;                /* 0: not known */
    threadclock_thread registration; /* 0: none */
    char name[TC_NAME_BYTES];
    pid_t tid;
    uint32_t next_of_tid; /* index + 1; 0: none */
    uint16_t passes;      /* in which it was seen; stops at 2 */
    bool listed, named;
};

enum {
    BUCKETS = 4096,
    CAPACITY_MIN = 256,
    ADDED_MIN = 64, /* below this, looking for ended threads is not worth it */
    MANY = 16, /* below this, listing again is as fast as checking the list */
    TRIES = 100 /* limit of registrations that end while they are read */
};

/*
 * Adding or removing threads takes both locks. A pass holds pass_lock from its start to its end. A read of
 * one known thread and the registration of a Java thread take only table_lock, so they do not wait for
 * passes, and may read a thread at the same time as one.
 */
static struct {
    struct tc_lock pass_lock, table_lock;
    uint32_t fork;
    uint32_t count, capacity;
    uint32_t unlisted; /* added since the last listing by reads of one TID */
    uint32_t added;    /* the same since ended threads were last dropped; bounded */
    uint64_t serials;
    struct known *known;
    uint32_t of_tid[BUCKETS];
    uint32_t of_java_id[BUCKETS]; /* index of the last one named; to be checked */
    struct tc_tid_moment listed_at;
} all;

/* In a child, which has none of the parent's threads, all are forgotten. */
static void lock_table(void)
{
    bool broken = tc_lock(&all.table_lock) != 0;
    uint32_t fork = (uint32_t)tc_epoch_fork(tc_epoch());
    if (all.fork == fork && !broken)
        return;
    for (uint32_t i = 0; i < BUCKETS; i++)
        all.of_tid[i] = 0;
    all.count = all.unlisted = all.added = 0;
    all.listed_at.last = 0;
    all.fork = fork;
}

static uint32_t *bucket_of(pid_t tid)
{
    return &all.of_tid[(uint32_t)tid % BUCKETS];
}

static struct known *known_of(pid_t tid)
{
    for (uint32_t link = *bucket_of(tid); link != 0; link = all.known[link - 1].next_of_tid)
        if (all.known[link - 1].tid == tid)
            return &all.known[link - 1];
    return NULL;
}

static void put_in_bucket(struct known *known)
{
    uint32_t *bucket = bucket_of(known->tid);
    known->next_of_tid = *bucket;
    *bucket = (uint32_t)(known - all.known) + 1;
}

/* Makes room for one more. 0 or -ENOMEM. */
static int grow(void)
{
    if (all.count < all.capacity)
        return 0;
    uint32_t capacity = all.capacity > 0 ? 2 * all.capacity : CAPACITY_MIN;
    struct known *grown = tc_map(capacity * sizeof *grown), *before = all.known;
    if (grown == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < all.count; i++)
        grown[i] = before[i];
    TC_STORE(all.known, grown); /* before munmap: another thread may fork at any time; its child uses these */
    if (before != NULL)
        tc_syscall4(SYS_munmap, (long)before, (long)(all.capacity * sizeof *before), 0, 0);
    all.capacity = capacity;
    return 0;
}

static int start_knowing(struct known *known, pid_t tid)
{
    uint64_t began_ns;
    *known = (struct known){.tid = tid, .registration = tc_threads_of_tid(tid, 0, &began_ns)};
    known->named = began_ns == 0;
    known->identity.start = began_ns / (1000000000 / (uint64_t)tc_proc_user_hz());
    known->identity.is_latest_start = !known->named;
    int error = 0;
    if (known->named) {
        known->registration = 0;
        error = tc_thread_identify(tid, &known->identity, known->name);
    }
    if (error == 0)
        known->serial = ++all.serials;
    return error;
}

static int add(pid_t tid, struct known **known)
{
    struct known added;
    int error = start_knowing(&added, tid);
    if (error != 0)
        return error;
    lock_table();
    error = grow();
    if (error == 0) {
        all.known[all.count] = added;
        *known = &all.known[all.count++];
        put_in_bucket(*known);
    }
    tc_unlock(&all.table_lock);
    return error;
}

/*
 * If the TID still belongs to this thread, so does the TID's registration. Checked in this order, because
 * otherwise a new thread's registration could take in an old thread's times. 0, even without a registration,
 * or a negative errno.
 */
static int join_registration(struct known *known)
{
    uint64_t started_ns = known->identity.start * (uint64_t)(1000000000 / tc_proc_user_hz()), began_ns;
    threadclock_thread registration = tc_threads_of_tid(known->tid, started_ns, &began_ns);
    int error = registration != 0 ? tc_thread_check(known->tid, 0, &known->identity) : 0;
    if (error == 0)
        TC_STORE(known->registration, registration);
    return error;
}

/* Reads a thread by its registration; if it has none, or that ends meanwhile, by its TID. */
static int read_known(struct known *known)
{
    int error = -ESRCH;
    for (int tries = 0; error == -ESRCH && tries < TRIES; tries++) {
        if (TC_LOAD(known->registration) == 0 && (error = join_registration(known)) != 0)
            return error;
        threadclock_thread registration = TC_LOAD(known->registration);
        if (registration == 0)
            return tc_thread_read(known->tid, &known->slot, &known->share_at_tick);
        error = tc_thread_read_registered(registration, &known->slot);
        if (error == -ESRCH)
            TC_STORE(known->registration, 0);
    }
    return error;
}

/*
 * Removes those for which keep is false, without changing the order, and rebuilds the buckets. keep may make
 * system calls, and threads that start wait for the table: so it is asked before.
 */
static void sweep(bool (*keep)(struct known *))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (!keep(&all.known[i]))
            all.known[i].serial = 0;
    lock_table();
    for (uint32_t i = 0; i < all.count; i++) {
        *bucket_of(all.known[i].tid) = 0;
        if (all.known[i].serial != 0) {
            if (kept != i)
                all.known[kept] = all.known[i];
            kept++;
        }
    }
    all.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        *bucket_of(all.known[i].tid) = 0;
    for (uint32_t i = 0; i < kept; i++)
        put_in_bucket(&all.known[i]);
    tc_unlock(&all.table_lock);
}

/* Called for each listed TID. It belongs to the known thread with that TID, or to a new one. */
static int on_listed(pid_t tid, uint64_t inode)
{
    struct known *known = known_of(tid);
    int error = 0;
    if (known == NULL)
        error = add(tid, &known);
    else if (!tc_threads_hold_tid(TC_LOAD(known->registration)))
        error = tc_thread_check(tid, inode, &known->identity);
    if (error == -ESRCH && known != NULL) {
        struct known other;
        error = start_knowing(&other, tid);
        if (error == 0) {
            lock_table();
            other.next_of_tid = known->next_of_tid;
            *known = other;
            tc_unlock(&all.table_lock);
        }
    }
    if (error == 0)
        known->listed = true;
    return error == -ESRCH ? 0 : error; /* -ESRCH: it has ended since */
}

/* The listing may have missed a live thread. */
static bool listed_or_alive(struct known *known)
{
    bool keep = known->listed || tc_thread_check(known->tid, 0, &known->identity) != -ESRCH;
    known->listed = false;
    return keep;
}

static int list_anew(void)
{
    struct tc_tid_moment moment;
    tc_tid_moment(&moment, all.count >= MANY);
    int error = tc_task_list(on_listed);
    if (error != 0)
        return error;
    sweep(listed_or_alive);
    all.listed_at = moment;
    all.unlisted = all.added = 0;
    return 0;
}

/*
 * True if the number of threads is that of the last pass, whose list may then be used again. Whether a listed
 * TID is another thread's by now is checked after the reads.
 */
static bool list_may_hold(void)
{
    return all.count >= MANY && all.unlisted == 0 && all.listed_at.last != 0 && tc_task_count() == all.count;
}

/* If nobody can tell: no. */
static bool still_has_tid(struct known *known)
{
    return tc_threads_hold_tid(TC_LOAD(known->registration))
           || tc_thread_check(known->tid, 0, &known->identity) == 0;
}

/* True if each listed thread still has its TID. */
static bool list_held(void)
{
    struct tc_tid_moment now;
    tc_tid_moment(&now, true);
    for (uint32_t i = 0; i < all.count; i++)
        if (tc_tid_given_between(&all.listed_at, &now, all.known[i].tid) && !still_has_tid(&all.known[i]))
            return false;
    all.listed_at = now;
    return true;
}

static bool still_there(struct known *known)
{
    return known->serial != 0;
}

/* Drops those whose TID was given to another thread while all were read. 0, or a negative errno. */
static int drop_impostors(void)
{
    struct tc_tid_moment now; /* without forks: after so short a time their number changes nothing */
    int error = 0;
    tc_tid_moment(&now, false);
    for (uint32_t i = 0; i < all.count && error == 0; i++) {
        struct known *known = &all.known[i];
        if (tc_tid_given_between(&all.listed_at, &now, known->tid))
            error = tc_thread_check(known->tid, 0, &known->identity);
        if (error == -ESRCH)
            known->serial = error = 0;
    }
    sweep(still_there);
    return error;
}

/* Reads all known threads, and drops those that have ended. 1: some had; 0: none; or a negative errno. */
static int read_all(void)
{
    int ended = 0, error = 0;
    for (uint32_t i = 0; i < all.count && error == 0; i++) {
        error = read_known(&all.known[i]);
        if (error == -ESRCH) {
            all.known[i].serial = error = 0;
            ended = 1;
        }
    }
    if (ended)
        sweep(still_there);
    return error != 0 ? error : ended;
}

static void look_at_name(struct known *known)
{
    struct known present;
    if (tc_thread_identify(known->tid, &present.identity, present.name) == 0
        && tc_thread_started(&known->identity, present.identity.start))
        for (size_t i = 0; i < TC_NAME_BYTES; i++)
            known->name[i] = present.name[i];
    known->named = true;
}

/*
 * A thread often sets its name soon after it has started, so the second pass reads it again, unless the first
 * one came a second or more after the start. all: also that of threads that have none yet.
 */
static void look_at_names(bool all_names)
{
    uint64_t hz = (uint64_t)tc_proc_user_hz();
    uint64_t second_ago = (uint64_t)threadclock_clock_ns(CLOCK_BOOTTIME) / (1000000000 / hz) - hz;
    for (uint32_t i = 0; i < all.count; i++) {
        struct known *known = &all.known[i];
        bool was_named = known->named;
        if (!was_named && all_names)
            look_at_name(known);
        known->passes += known->passes == 0 && known->identity.start < second_ago ? 2 : 0;
        if (known->named && known->passes < 2 && ++known->passes == 2 && was_named)
            look_at_name(known);
    }
}

/*
 * The list is made again if threads have ended since, because as many may have started, and if a listed TID
 * may be another thread's by now: listing drops the thread that had it, with what was just read.
 */
static int look_at_all(void)
{
    int result = 1;
    if (list_may_hold() && (result = read_all()) == 0 && list_held())
        return 0;
    if (result >= 0)
        result = list_anew();
    if (result == 0)
        result = read_all();
    return result >= 0 ? drop_impostors() : result;
}

static void to_row(const struct known *known, struct threadclock_thread_row *row)
{
    *row = (struct threadclock_thread_row){.tid = known->tid, .serial = known->serial};
    tc_slot_times(&known->slot, &row->times);
    for (size_t i = 0; i < TC_NAME_BYTES; i++)
        row->name[i] = known->name[i];
}

static void lock_pass(void)
{
    tc_lock(&all.pass_lock);
    lock_table(); /* forgets the parent's threads in a child */
    tc_unlock(&all.table_lock);
}

static int64_t read_rows(struct threadclock_thread_row *rows, size_t capacity, bool all_names)
{
    lock_pass();
    int64_t result = look_at_all();
    if (result >= 0) {
        look_at_names(all_names);
        result = all.count;
        for (uint32_t i = 0; i < all.count && i < capacity; i++)
            to_row(&all.known[i], &rows[i]);
    }
    tc_unlock(&all.pass_lock);
    return result;
}

int64_t threadclock_all_threads(struct threadclock_thread_row *rows, size_t capacity)
{
    return rows == NULL && capacity > 0 ? -EINVAL : read_rows(rows, capacity, true);
}

int64_t tc_all_threads(struct threadclock_thread_row *rows, size_t capacity)
{
    return read_rows(rows, capacity, false);
}

static bool not_ended(struct known *known)
{
    return tc_thread_check(known->tid, 0, &known->identity) != -ESRCH;
}

/*
 * A caller that reads single threads does not report their ends. So ended ones are looked for when half of
 * the known threads are new: two checks per new thread. The process's threads are not listed, because most of
 * them may never be asked for.
 */
static void drop_ended_if_due(void)
{
    if (all.added <= ADDED_MIN || all.added <= all.count / 2)
        return;
    sweep(not_ended);
    all.added = 0;
}

static int know(pid_t tid, struct known **known)
{
    if ((*known = known_of(tid)) != NULL)
        return 0;
    int error = tc_proc_check();
    if (error != 0)
        return error;
    drop_ended_if_due();
    all.unlisted++;
    all.added++;
    return add(tid, known);
}

/* If it is the same thread before and after the reading, the TID was its own throughout. */
static int read_and_check(struct known *known, struct threadclock_times *times)
{
    int error = read_known(known);
    if (error == 0 && !tc_threads_hold_tid(TC_LOAD(known->registration)))
        error = tc_thread_check(known->tid, 0, &known->identity);
    if (error == 0)
        tc_slot_times(&known->slot, times);
    return error;
}

/* Looks for the thread if it is not known, or no longer the one that was. */
static int find_and_read(pid_t tid, uint64_t java_id, struct threadclock_times *times)
{
    for (int tries = 0; tries < 3; tries++) {
        struct known *known;
        int error = know(tid, &known);
        if (error != 0)
            return error;
        lock_table();
        error = java_id != 0 ? tc_threads_times_of(java_id, times) : -ENOENT;
        if (error == -ENOENT && (error = read_and_check(known, times)) == 0 && java_id != 0) {
            known->java_id = java_id;
            all.of_java_id[java_id % BUCKETS] = (uint32_t)(known - all.known);
        }
        tc_unlock(&all.table_lock);
        if (error != -ESRCH)
            return error;
        known->serial = 0;
        sweep(still_there);
        all.unlisted++;
    }
    return -ESRCH;
}

int tc_java_thread_times(pid_t tid, uint64_t java_id, struct threadclock_times *times)
{
    lock_pass();
    int error = find_and_read(tid, java_id, times);
    tc_unlock(&all.pass_lock);
    return error;
}

int threadclock_tid_times(pid_t tid, struct threadclock_times *times)
{
    if (tid <= 0 || times == NULL)
        return -EINVAL;
    lock_table();
    struct known *known = known_of(tid);
    int error = known != NULL ? read_and_check(known, times) : -ESRCH;
    tc_unlock(&all.table_lock);
    return error == -ESRCH ? tc_java_thread_times(tid, 0, times) : error;
}

int tc_known_java_thread_times(uint64_t java_id, struct threadclock_times *times)
{
    lock_table();
    int error = tc_threads_times_of(java_id, times);
    uint32_t index = all.of_java_id[java_id % BUCKETS];
    struct known *known = index < all.count ? &all.known[index] : NULL;
    if (error == -ENOENT && known != NULL && known->java_id == java_id && (error = read_known(known)) == 0)
        tc_slot_times(&known->slot, times);
    tc_unlock(&all.table_lock);
    return error;
}

/*
 * All reads by a Java id look for the registration with the table locked. So before it is made they use the
 * account of reads by TID, which it takes over here, and afterwards its own.
 */
int tc_java_thread_register(uint64_t id, pid_t tid, threadclock_thread *thread)
{
    bool by_itself = tid == 0;
    if (by_itself && (tid = tc_threads_own_tid()) < 0)
        return tid;
    lock_table();
    struct known *known = known_of(tid);
    const struct tc_slot *seen = known != NULL && known->java_id == id ? &known->slot : NULL;
    int error = by_itself ? tc_threads_register_own(id, tid, seen, thread)
                          : tc_threads_register_other(id, tid, seen, thread);
    tc_unlock(&all.table_lock);
    return error;
}

int tc_row_read_again(struct threadclock_thread_row *row)
{
    lock_table();
    struct known *known = known_of(row->tid);
    bool is_it = known != NULL && known->serial == row->serial;
    int error = is_it ? read_and_check(known, &row->times) : -ESRCH;
    tc_unlock(&all.table_lock);
    return error;
}
