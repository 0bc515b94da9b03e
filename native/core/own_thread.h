/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of the calling thread: what the rest of the core uses of them. */
#ifndef TC_OWN_THREAD_H
#define TC_OWN_THREAD_H

#include <stdbool.h>

#include "moment.h"
#include "sys.h"
#include "threadclock.h"

/* The calling thread's user and system as the kernel scales them, and their sum; returns their source. */
TC_INTERNAL enum threadclock_source_id tc_sample(struct threadclock_times *times, int *error);

/* The calling thread's moment, its total of this freshness. 0, or a negative errno. */
TC_INTERNAL int tc_own_moment(enum threadclock_freshness freshness, struct tc_moment *moment);

/* Identifies the calling thread in this address space. */
TC_INTERNAL void tc_own_identity(uint64_t identity[2]);

/* True if the interpolated total of the calling thread now needs no system call. May wait up to 20 ms. */
TC_INTERNAL bool tc_own_interpolates(void);

/*
 * What has been read of the calling thread so far, by any thread if it is registered; all zero if nothing.
 * Makes system calls only in a new epoch.
 */
TC_INTERNAL void tc_own_seen(struct threadclock_times *times);

/* False: the calling thread (with this TID) has neither read itself nor been moved. Uses no thread-locals. */
TC_INTERNAL bool tc_own_cell_used(pid_t tid);

struct tc_slot;

/*
 * Makes the dynamic linker allocate the thread-local storage now. Under the lock of the entries its malloc
 * might wait for a thread whose signal handler waits for that lock.
 */
TC_INTERNAL void tc_own_allocate(void);

/*
 * move_to and move_home: from now on the calling thread's times are in this slot, or in its own again. is_in:
 * whether they are in this slot. Call them with the lock of the entries (entries.h), because signals must be
 * blocked, and after tc_own_allocate.
 */
TC_INTERNAL void tc_own_move_to(struct tc_slot *slot);
TC_INTERNAL void tc_own_move_home(void);
TC_INTERNAL bool tc_own_is_in(const struct tc_slot *slot);

#endif
