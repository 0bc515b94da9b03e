/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that is free in a forked child, whichever thread of the parent held it. */
#ifndef TC_LOCK_H
#define TC_LOCK_H

#include <time.h>

#include "sys.h"
#include "tick.h"

/* 0: free; otherwise the fork (upper half of the epoch) in which it is held. */
struct tc_lock {
    uint32_t holder_fork;
};

/* Sleeps for 20 us, so that other threads can run or take a lock. */
static inline void tc_pause(void)
{
    struct timespec pause = {0, 20000};
    tc_syscall4(SYS_nanosleep, (long)&pause, 0, 0, 0);
}

/* True if a thread of the parent process still held it, and may have been in the middle of a change. */
static inline int tc_lock(struct tc_lock *lock)
{
    uint32_t fork = (uint32_t)tc_epoch_fork(tc_epoch());
    for (int tries = 0;; tries++) {
        uint32_t holder = __atomic_load_n(&lock->holder_fork, __ATOMIC_RELAXED);
        if (holder != fork
            && __atomic_compare_exchange_n(&lock->holder_fork, &holder, fork, 0, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED))
            return holder != 0;
        if (tries > 100)
            tc_pause(); /* because the holder may have lower priority on this CPU */
    }
}

static inline void tc_unlock(struct tc_lock *lock)
{
    __atomic_store_n(&lock->holder_fork, 0, __ATOMIC_RELEASE);
}

#endif
