/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the tick key at the first read: vDSO coarse clock and fork epoch, each tried, with a fallback that caches nothing. */
#include "tick.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "clock_id.h"
#include "sys.h"
#include "vdso.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { EPOCH_MAP_BYTES = 4096, COARSE_RESOLUTION_MIN_NS = 100000 };

static int first_use(clockid_t clock, struct timespec *ts);

tc_clock_gettime *tc_coarse_clock = first_use;

static const uint64_t no_epoch_word;
const uint64_t *tc_epoch_word = &no_epoch_word;

/* The last epoch handed out: copied by fork, unlike the epoch word, which is wiped. */
static uint32_t generation;

/* Where there is no epoch word: the lower half of the epoch. */
static uint32_t advances;

/* Used where nothing may be cached. The key of this stamp is TC_KEY_NEVER. */
static int never(clockid_t clock, struct timespec *ts)
{
    (void)clock;
    ts->tv_sec = -1;
    ts->tv_nsec = (1L << 30) - 2;
    return 0;
}

/* gVisor's coarse clock is as fine as the other: each read would be a new key. */
static int is_coarse(tc_clock_gettime *clock_gettime)
{
    struct timespec resolution, now;
    return tc_syscall4(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&resolution, 0, 0) == 0
           && tc_timespec_ns(&resolution) >= COARSE_RESOLUTION_MIN_NS
           && clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0;
}

/*
 * The word lies in a page of its own, which the kernel (4.14 on, mm/madvise.c) hands to a child as zeros. That holds for
 * every fork, the raw system call included, where pthread_atfork handlers do not run.
 */
static int set_up_epoch_word(void)
{
    if (__atomic_load_n(&tc_epoch_word, __ATOMIC_ACQUIRE) != &no_epoch_word)
        return 1;
    long page = tc_syscall6(SYS_mmap, 0, EPOCH_MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page < 0 && page > -4096)
        return 0;
    int wiped = tc_syscall4(SYS_madvise, page, EPOCH_MAP_BYTES, MADV_WIPEONFORK, 0) == 0;
    const uint64_t *none = &no_epoch_word;
    if (!wiped || !__atomic_compare_exchange_n(&tc_epoch_word, &none, (const uint64_t *)page, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        tc_syscall4(SYS_munmap, page, EPOCH_MAP_BYTES, 0, 0); /* useless, or another thread was faster: its page stays */
    return wiped;
}

/* Threads that come here together all reach the same answer. Nothing here allocates: a signal handler may be first. */
static int first_use(clockid_t clock, struct timespec *ts)
{
    tc_clock_gettime *clock_gettime = tc_vdso_clock_gettime();
    if (clock_gettime == NULL || !is_coarse(clock_gettime) || !set_up_epoch_word())
        clock_gettime = never;
    __atomic_store_n(&tc_coarse_clock, clock_gettime, __ATOMIC_RELEASE);
    return clock_gettime(clock, ts);
}

uint64_t tc_epoch(void)
{
    if (__atomic_load_n(&tc_coarse_clock, __ATOMIC_ACQUIRE) == first_use)
        tc_tick_key();
    uint64_t *word = (uint64_t *)__atomic_load_n(&tc_epoch_word, __ATOMIC_ACQUIRE);
    if (word == &no_epoch_word)
        return (uint64_t)tc_syscall4(SYS_getpid, 0, 0, 0, 0) << 32 | __atomic_load_n(&advances, __ATOMIC_ACQUIRE);
    uint64_t epoch = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (epoch == 0) {
        /* generation is never below the word's, so a child of this process cannot come to its parent's epoch. */
        uint64_t next = (uint64_t)__atomic_add_fetch(&generation, 1, __ATOMIC_ACQ_REL) << 32;
        if (__atomic_compare_exchange_n(word, &epoch, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            epoch = next;
    }
    return epoch;
}

void tc_epoch_advance(void)
{
    tc_epoch();
    uint64_t *word = (uint64_t *)__atomic_load_n(&tc_epoch_word, __ATOMIC_ACQUIRE);
    if (word == &no_epoch_word)
        __atomic_add_fetch(&advances, 1, __ATOMIC_ACQ_REL);
    else
        __atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL);
}

int64_t tc_coarse_ns(void)
{
    struct timespec ts;
    __atomic_load_n(&tc_coarse_clock, __ATOMIC_RELAXED)(CLOCK_MONOTONIC_COARSE, &ts);
    return ts.tv_sec < 0 ? -ENOSYS : tc_timespec_ns(&ts);
}
