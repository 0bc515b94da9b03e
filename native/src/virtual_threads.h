/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts of the CPU time of virtual threads, which the kernel does not know: the sum of the slices of their
 * carriers' time between mount and unmount. A binding to a JVM reports these switches.
 */
#ifndef TC_VIRTUAL_THREADS_H
#define TC_VIRTUAL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys.h"
#include "threadclock.h"

/* An account, never that of another thread: once it has ended, its handle fails for ever. 0: none. */
typedef uint64_t tc_virtual;

/* What is known of a virtual thread. */
struct tc_virtual_times {
    struct threadclock_times times;
    tc_virtual account; /* differences are valid only between readings of one account */
    bool whole;         /* false: the thread ran before its account began, and that time is missing */
};

/*
 * Lets accounts begin, and sets the clock that is read at each switch: interpolated (which is now where it
 * does not work), now, or tick (whole ticks: right only in sums over many slices). Returns the epoch, which
 * is never 0.
 */
TC_INTERNAL uint32_t tc_virtual_allow(enum threadclock_freshness clock);

/* Ends all accounts; none begins until they are allowed again. */
TC_INTERNAL void tc_virtual_forbid(void);

/* The present epoch; 0: accounts are not allowed. And the clock. */
TC_INTERNAL uint32_t tc_virtual_epoch(void);
TC_INTERNAL enum threadclock_freshness tc_virtual_clock(void);

/*
 * Begins the account of the thread with this Java id: 0 if the epoch has passed, or without memory. Takes a
 * lock.
 */
TC_INTERNAL tc_virtual tc_virtual_begin(uint64_t id, bool whole, uint32_t epoch);

/* Ends an account; without effect if it has ended. Takes a lock. */
TC_INTERNAL void tc_virtual_end(tc_virtual account);

/*
 * mount: from now on the calling thread, the carrier, works for this virtual thread; false: its account has
 * ended, or there never was one. unmount: it no longer works for one. No lock; system calls: those of the
 * clock.
 */
TC_INTERNAL bool tc_virtual_mount(tc_virtual account);
TC_INTERNAL void tc_virtual_unmount(void);

/*
 * The times of the virtual thread with this id, which is mounted on the calling thread: 0, -ENOENT: it has no
 * account, or a negative errno of the clock. tick: as of the last tick or mount, whichever is later.
 */
TC_INTERNAL int tc_virtual_own_times(uint64_t id, enum threadclock_freshness freshness,
                                     struct tc_virtual_times *times);

/*
 * The times of any virtual thread, now; while it is switching quickly, without its present slice. 0, or
 * -ESRCH: its account has ended. One system call if it is mounted.
 */
TC_INTERNAL int tc_virtual_times(tc_virtual account, struct tc_virtual_times *times);

/* The number of accounts. */
TC_INTERNAL uint32_t tc_virtual_count(void);

#endif
