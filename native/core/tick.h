/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a tick reading, which is valid until the key changes: the coarse clock and the fork epoch. */
#ifndef TC_TICK_H
#define TC_TICK_H

#include <stdint.h>
#include <time.h>

#include "symbol.h"
#include "sys.h"

/* Reads CLOCK_MONOTONIC_COARSE without a system call, or returns a stamp whose key is TC_KEY_NEVER. */
TC_INTERNAL extern tc_clock_gettime *tc_coarse_clock;

/* A word that the kernel wipes in a forked child; 0 until the child's first read. Never null. */
TC_INTERNAL extern const uint64_t *tc_epoch_word;

#define TC_KEY_NEVER UINT64_MAX

/*
 * Two stamps of the coarse clock have the same key only if they are equal: nanoseconds fit in 30 bits,
 * seconds of uptime in the 34 above. The + 1 reserves 0 for a cell that was never filled.
 */
static inline uint64_t tc_tick_key(void)
{
    struct timespec ts;
    __atomic_load_n(&tc_coarse_clock, __ATOMIC_RELAXED)(CLOCK_MONOTONIC_COARSE, &ts);
    return ((uint64_t)ts.tv_sec << 30) + (uint64_t)ts.tv_nsec + 1;
}

/*
 * The epoch, never 0. Its upper half identifies the address space and changes in a forked child (without
 * MADV_WIPEONFORK it is the PID, at the cost of one or two system calls); its lower half counts how often
 * threads were registered by others.
 */
TC_INTERNAL uint64_t tc_epoch(void);

static inline uint64_t tc_epoch_fork(uint64_t epoch)
{
    return epoch >> 32;
}

/* Begins an epoch of this address space: at its next read, every thread checks whether it is registered. */
TC_INTERNAL void tc_epoch_advance(void);

/* The coarse clock: the CLOCK_MONOTONIC time of the last tick, in ns; -ENOSYS without a usable one. */
TC_INTERNAL int64_t tc_coarse_ns(void);

/* CLOCK_MONOTONIC in ns, from the vDSO; -ENOSYS where tc_coarse_ns fails. */
TC_INTERNAL int64_t tc_monotonic_ns(void);

#endif
