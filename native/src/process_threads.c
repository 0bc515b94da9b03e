/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of this process by their TIDs, registered or not: one of them, or all in one pass. */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "lock.h"
#include "slot.h"
#include "sys.h"
#include "task_folder.h"
#include "thread_identity.h"
#include "threads.h"
#include "tick.h"

/* A thread that was read by its TID. What it answered last holds on where its registration ends and another begins. */
struct known {
    struct tc_thread_identity identity;
    uint64_t serial;
    threadclock_thread registration;
    struct threadclock_times times;
    char name[TC_NAME_BYTES];
    pid_t tid;
    uint32_t next_of_tid; /* index + 1; 0: none */
    uint16_t passes;      /* in which it was seen, up to two */
    bool listed;
};

enum { BUCKETS = 4096, CAPACITY_MIN = 256, CHANGES_MAX = 64, MANY = 128 /* a list of fewer is made anew as fast as it is checked */, TRIES = 100 /* registrations that end while they are read */ };

static struct {
    struct tc_lock lock;
    uint32_t fork;
    uint32_t count, capacity;
    uint32_t unlisted; /* added since the last listing by reads of one TID: how many there may be is bounded */
    uint64_t serials;
    struct known *known;
    uint32_t of_tid[BUCKETS];
    struct tc_tid_moment listed_at;
} all;

static void lock_all(void)
{
    bool broken = tc_lock(&all.lock) != 0;
    uint32_t fork = (uint32_t)tc_epoch_fork(tc_epoch());
    if (all.fork == fork && !broken)
        return;
    for (uint32_t i = 0; i < BUCKETS; i++)
        all.of_tid[i] = 0;
    all.count = all.unlisted = 0;
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

/* Room for one more. -ENOMEM. */
static int grow(void)
{
    if (all.count < all.capacity)
        return 0;
    uint32_t capacity = all.capacity > 0 ? 2 * all.capacity : CAPACITY_MIN;
    long memory = tc_syscall6(SYS_mmap, 0, (long)(capacity * sizeof(struct known)), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory < 0 && memory > -4096)
        return -ENOMEM;
    struct known *grown = (struct known *)memory;
    for (uint32_t i = 0; i < all.count; i++)
        grown[i] = all.known[i];
    if (all.known != NULL)
        tc_syscall4(SYS_munmap, (long)all.known, (long)(all.capacity * sizeof(struct known)), 0, 0);
    all.known = grown;
    all.capacity = capacity;
    return 0;
}

static int start_knowing(struct known *known, pid_t tid)
{
    *known = (struct known){.tid = tid};
    int error = tc_thread_identify(tid, &known->identity, known->name);
    if (error == 0)
        known->serial = ++all.serials;
    return error;
}

static int add(pid_t tid, struct known **known)
{
    int error = grow();
    if (error == 0)
        error = start_knowing(&all.known[all.count], tid);
    if (error != 0)
        return error;
    *known = &all.known[all.count++];
    put_in_bucket(*known);
    return 0;
}

static int64_t not_less(int64_t ns, int64_t seen_ns)
{
    return ns > seen_ns ? ns : seen_ns;
}

/* Reads it by its registration, and where that has ended by what stands for the TID now. -ESRCH: it is the thread that has ended. */
static int read_registration(struct known *known, struct threadclock_times *times, bool *adopted)
{
    int error = known->registration != 0 ? threadclock_thread_times(known->registration, times) : -ESRCH;
    for (int tries = 0; error == -ESRCH && tries < TRIES; tries++) {
        if (tries > 0 && !tc_thread_is(known->tid, 0, &known->identity))
            return -ESRCH;
        error = tc_threads_adopt(known->tid, &known->identity, &known->registration);
        if (error == 0)
            error = threadclock_thread_times(known->registration, times);
        *adopted = true;
    }
    return error;
}

/* A new registration may know nothing of what an old one has answered: that stays the least. */
static int read_known(struct known *known, bool *adopted)
{
    struct threadclock_times times;
    int error = read_registration(known, &times, adopted);
    if (error != 0)
        return error;
    known->times.user_ns = not_less(times.user_ns, known->times.user_ns);
    known->times.system_ns = not_less(times.system_ns, known->times.system_ns);
    known->times.total_ns = not_less(times.total_ns, known->times.user_ns + known->times.system_ns);
    return 0;
}

/* What stands for it goes, unless it is its own registration, which it ends itself. */
static void stop_knowing(struct known *known)
{
    tc_threads_forget_adopted(known->registration);
}

/* The list without those for whom keep is false, in the same order; the buckets made anew. */
static void sweep(bool (*keep)(struct known *))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        *bucket_of(all.known[i].tid) = 0;
        if (keep(&all.known[i])) {
            if (kept != i)
                all.known[kept] = all.known[i];
            kept++;
        } else {
            stop_knowing(&all.known[i]);
        }
    }
    all.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        *bucket_of(all.known[i].tid) = 0;
    for (uint32_t i = 0; i < kept; i++)
        put_in_bucket(&all.known[i]);
}

/* A thread that the listing has: the one that is known by the TID, or another. */
static int on_listed(pid_t tid, uint64_t inode)
{
    struct known *known = known_of(tid);
    int error = 0;
    if (known != NULL && !tc_thread_is(tid, inode, &known->identity)) {
        stop_knowing(known);
        uint32_t next = known->next_of_tid;
        error = start_knowing(known, tid);
        known->next_of_tid = next;
    } else if (known == NULL) {
        error = add(tid, &known);
    }
    if (error == 0)
        known->listed = true;
    return error == -ESRCH ? 0 : error; /* it has ended since */
}

/* The listing may have missed one that lives. */
static bool listed_or_alive(struct known *known)
{
    bool keep = known->listed || tc_thread_is(known->tid, 0, &known->identity);
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
    all.unlisted = 0;
    return 0;
}

/* Nobody has come since the last listing, and nobody who was there gave its TID to another. */
static bool list_holds(void)
{
    struct tc_tid_moment now;
    if (all.count < MANY || all.unlisted > 0 || all.listed_at.last == 0 || tc_task_count() != all.count)
        return false;
    tc_tid_moment(&now, true);
    for (uint32_t i = 0; i < all.count; i++)
        if (tc_tid_given_between(&all.listed_at, &now, all.known[i].tid))
            return false;
    all.listed_at = now;
    return true;
}

static bool still_there(struct known *known)
{
    return known->serial != 0;
}

/* A thread whose TID may have gone to another while all were read is looked at once more. */
static bool drop_impostors(void)
{
    struct tc_tid_moment now; /* listed_at is too short ago for the number of forks to tell anything */
    bool dropped = false;
    tc_tid_moment(&now, false);
    for (uint32_t i = 0; i < all.count; i++) {
        struct known *known = &all.known[i];
        if (tc_tid_given_between(&all.listed_at, &now, known->tid) && !tc_thread_is(known->tid, 0, &known->identity)) {
            known->serial = 0;
            dropped = true;
        }
    }
    return dropped;
}

/* Reads all that are known, and drops those that have ended. 1: there were some; 0: none; or a negative errno. */
static int read_all(void)
{
    bool adopted = false, ended = false;
    int error = 0;
    for (uint32_t i = 0; i < all.count && error == 0; i++) {
        error = read_known(&all.known[i], &adopted);
        if (error == -ESRCH) {
            all.known[i].serial = 0;
            ended = true;
            error = 0;
        }
    }
    ended |= drop_impostors();
    if (ended)
        sweep(still_there);
    if (adopted)
        tc_epoch_advance();
    return error < 0 ? error : ended;
}

/* A thread gives itself its name soon after it has started. */
static void look_at_names_again(void)
{
    for (uint32_t i = 0; i < all.count; i++) {
        struct known *known = &all.known[i], present;
        if (known->passes < 2 && ++known->passes == 2
            && tc_thread_identify(known->tid, &present.identity, present.name) == 0
            && present.identity.start == known->identity.start)
            for (size_t j = 0; j < TC_NAME_BYTES; j++)
                known->name[j] = present.name[j];
    }
}

/* Where threads have ended since the list was made, as many may have started: a list that was held on to is made anew. */
static int look_at_all(void)
{
    bool held = list_holds();
    int result = held ? 0 : list_anew();
    if (result == 0)
        result = read_all();
    if (held && result > 0) {
        result = list_anew();
        if (result == 0)
            result = read_all();
    }
    return result;
}

static void to_row(const struct known *known, struct threadclock_thread_row *row)
{
    *row = (struct threadclock_thread_row){.tid = known->tid, .serial = known->serial, .times = known->times};
    for (size_t i = 0; i < TC_NAME_BYTES; i++)
        row->name[i] = known->name[i];
}

int64_t threadclock_all_threads(struct threadclock_thread_row *rows, size_t capacity)
{
    if (rows == NULL && capacity > 0)
        return -EINVAL;
    lock_all();
    int64_t result = look_at_all();
    if (result >= 0) {
        look_at_names_again();
        result = all.count;
        for (uint32_t i = 0; i < all.count && i < capacity; i++)
            to_row(&all.known[i], &rows[i]);
    }
    tc_unlock(&all.lock);
    return result;
}

static int know(pid_t tid, struct known **known)
{
    if ((*known = known_of(tid)) != NULL)
        return 0;
    int error = all.unlisted > CHANGES_MAX ? list_anew() : 0;
    if (error != 0 || (*known = known_of(tid)) != NULL)
        return error;
    all.unlisted++;
    return add(tid, known);
}

/* That it is the same thread after the reading as before says that the TID was its all the time. */
static int read_tid(pid_t tid, struct threadclock_times *times)
{
    for (int tries = 0; tries < 3; tries++) {
        struct known *known;
        bool adopted = false;
        int error = know(tid, &known);
        if (error != 0)
            return error;
        error = read_known(known, &adopted);
        if (adopted)
            tc_epoch_advance();
        if (error == 0 && tc_thread_is(tid, 0, &known->identity)) {
            *times = known->times;
            return 0;
        }
        known->serial = 0;
        sweep(still_there);
        all.unlisted++;
        if (error != 0 && error != -ESRCH)
            return error;
    }
    return -ESRCH;
}

int threadclock_tid_times(pid_t tid, struct threadclock_times *times)
{
    if (tid <= 0 || times == NULL)
        return -EINVAL;
    lock_all();
    int error = read_tid(tid, times);
    tc_unlock(&all.lock);
    return error;
}
