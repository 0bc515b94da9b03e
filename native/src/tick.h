/* SPDX-License-Identifier: Apache-2.0 */
/* The key under which a tick reading stays valid: the coarse clock, and the fork epoch of this address space. */
#ifndef TC_TICK_H
#define TC_TICK_H

#include <stdint.h>
#include <time.h>

/* Reads CLOCK_MONOTONIC_COARSE without a system call, or answers so that the key is TC_KEY_NEVER. */
typedef int tc_clock_gettime(clockid_t clock, struct timespec *ts);

__attribute__((visibility("hidden"))) extern tc_clock_gettime *tc_coarse_clock;

/* A word that the kernel wipes in a forked child; 0 until the first read there. Never null. */
__attribute__((visibility("hidden"))) extern const uint64_t *tc_epoch_word;

#define TC_KEY_NEVER UINT64_MAX

/*
 * Two stamps of the coarse clock are the same key only if they are the same stamp: nanoseconds fit in 30 bits, seconds
 * of uptime in the 34 above. The + 1 keeps 0 for a cell that was never filled.
 */
static inline uint64_t tc_tick_key(void)
{
    struct timespec ts;
    __atomic_load_n(&tc_coarse_clock, __ATOMIC_RELAXED)(CLOCK_MONOTONIC_COARSE, &ts);
    return ((uint64_t)ts.tv_sec << 30) + (uint64_t)ts.tv_nsec + 1;
}

/*
 * The epoch, never 0: in its upper half which fork this address space is, made anew in a forked child (without
 * MADV_WIPEONFORK the PID stands in, by a system call); in its lower half how often threads were registered by others.
 */
__attribute__((visibility("hidden"))) uint64_t tc_epoch(void);

static inline uint64_t tc_epoch_fork(uint64_t epoch)
{
    return epoch >> 32;
}

/* Begins a new epoch of this address space: every thread looks anew whether it is registered, at its next read. */
__attribute__((visibility("hidden"))) void tc_epoch_advance(void);

/* The coarse clock as nanoseconds: the CLOCK_MONOTONIC time of the last tick; or -ENOSYS without a usable one. */
__attribute__((visibility("hidden"))) int64_t tc_coarse_ns(void);

#endif
