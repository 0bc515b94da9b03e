/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the tick key at the first read. Caches nothing if the vDSO's coarse clock or the epoch fails. */
#include "tick.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "clock_id.h"
#include "symbol.h"
#include "sys.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { EPOCH_MAP_BYTES = 4096, COARSE_RESOLUTION_MIN_NS = 100000 };

static int first_use(clockid_t clock, struct timespec *ts);

tc_clock_gettime *tc_coarse_clock = first_use;

/* Before the first read, and where the kernel does not wipe. The first answer is final: epochs need it. */
static const uint64_t no_epoch_word_yet, no_epoch_word;
const uint64_t *tc_epoch_word = &no_epoch_word_yet;

/* The last epoch handed out. A fork copies it, whereas the epoch word is wiped. */
static uint32_t generation;

/* The lower half of the epoch where there is no epoch word. */
static uint32_t advances;

/* Used where nothing may be cached. The key of this stamp is TC_KEY_NEVER. */
static int never(clockid_t clock, struct timespec *ts)
{
    (void)clock;
    ts->tv_sec = -1;
    ts->tv_nsec = (1L << 30) - 2;
    return 0;
}

/* gVisor's coarse clock has the resolution of the precise one: each read would be a new key. */
static int is_coarse(tc_clock_gettime *clock_gettime)
{
    struct timespec resolution, now;
    return tc_syscall4(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&resolution, 0, 0) == 0
           && tc_timespec_ns(&resolution) >= COARSE_RESOLUTION_MIN_NS
           && clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0;
}

/* A kernel refuses unknown advice. qemu's user mode accepts any, including WIPEONFORK, and ignores it. */
static bool takes_any_advice(void *page)
{
    return tc_syscall4(SYS_madvise, (long)page, EPOCH_MAP_BYTES, -1, 0) == 0;
}

/*
 * The word has its own page, which the kernel (4.14 on, mm/madvise.c) zeroes in a child. This works for every
 * fork, including the raw system call, which runs no pthread_atfork handlers.
 */
static int set_up_epoch_word(void)
{
    const uint64_t *word = &no_epoch_word, *none = &no_epoch_word_yet;
    void *page = tc_map(EPOCH_MAP_BYTES);
    if (page != NULL && !takes_any_advice(page)
        && tc_syscall4(SYS_madvise, (long)page, EPOCH_MAP_BYTES, MADV_WIPEONFORK, 0) == 0)
        word = page;
    bool first =
        __atomic_compare_exchange_n(&tc_epoch_word, &none, word, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (page != NULL && (!first || word == &no_epoch_word))
        tc_syscall4(SYS_munmap, (long)page, EPOCH_MAP_BYTES, 0, 0);
    return (first ? word : none) != &no_epoch_word;
}

/*
 * Threads that get here at the same time all reach the same answer. Nothing here allocates, because the first
 * read may be in a signal handler.
 */
static int first_use(clockid_t clock, struct timespec *ts)
{
    tc_clock_gettime *clock_gettime = tc_vdso_clock_gettime();
    if (!set_up_epoch_word() || clock_gettime == NULL || !is_coarse(clock_gettime))
        clock_gettime = never;
    __atomic_store_n(&tc_coarse_clock, clock_gettime, __ATOMIC_RELEASE);
    return clock_gettime(clock, ts);
}

/*
 * Used without an epoch word. The first process of each PID namespace has PID 1, and its parent may be PID 1
 * of another: the namespace distinguishes them (its inode is unique while it exists, fs/nsfs.c).
 */
static uint32_t process_number(void)
{
    struct stat namespace;
    uint32_t pid = (uint32_t)tc_syscall4(SYS_getpid, 0, 0, 0, 0);
    if (pid != 1
        || tc_syscall4(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&namespace, 0) != 0)
        return pid;
    return (uint32_t)namespace.st_ino | UINT32_C(1) << 31; /* no PID has that bit */
}

uint64_t tc_epoch(void)
{
    if (__atomic_load_n(&tc_coarse_clock, __ATOMIC_ACQUIRE) == first_use)
        tc_tick_key();
    uint64_t *word = (uint64_t *)__atomic_load_n(&tc_epoch_word, __ATOMIC_ACQUIRE);
    if (word == &no_epoch_word)
        return (uint64_t)process_number() << 32 | __atomic_load_n(&advances, __ATOMIC_ACQUIRE);
    uint64_t epoch = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (epoch == 0) {
        /* generation is never below the word's, so a child of this process cannot get its parent's epoch. */
        uint64_t next = (uint64_t)__atomic_add_fetch(&generation, 1, __ATOMIC_ACQ_REL) << 32;
        if (__atomic_compare_exchange_n(word, &epoch, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            epoch = next;
    }
    return epoch;
}

void tc_epoch_advance(void)
{
    uint64_t old = tc_epoch(), next;
    uint64_t *word = (uint64_t *)__atomic_load_n(&tc_epoch_word, __ATOMIC_ACQUIRE);
    if (word == &no_epoch_word) {
        __atomic_add_fetch(&advances, 1, __ATOMIC_ACQ_REL);
        return;
    }
    do /* 0: a handler has forked, and the child's first read begins its own epoch */
        next = (old & ~(uint64_t)UINT32_MAX) | (uint32_t)(old + 1); /* the upper half is the fork's */
    while (!__atomic_compare_exchange_n(word, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && old != 0);
}

static int64_t vdso_ns(clockid_t clock)
{
    struct timespec ts;
    __atomic_load_n(&tc_coarse_clock, __ATOMIC_RELAXED)(clock, &ts);
    return ts.tv_sec < 0 ? -ENOSYS : tc_timespec_ns(&ts);
}

int64_t tc_coarse_ns(void)
{
    return vdso_ns(CLOCK_MONOTONIC_COARSE);
}

int64_t tc_monotonic_ns(void)
{
    return vdso_ns(CLOCK_MONOTONIC);
}
