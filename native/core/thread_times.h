/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a thread's clocks by its TID, and splits its run time as the kernel does for getrusage. */
#ifndef TC_THREAD_TIMES_H
#define TC_THREAD_TIMES_H

#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/*
 * Puts the times of the thread that has the TID into the slot. share_at_tick belongs to the slot: the upper
 * half is a hash of the tick, the lower half the user share in it; one word, because readers race. 0, -ESRCH,
 * or another negative errno.
 */
TC_INTERNAL int tc_thread_read(pid_t tid, struct tc_slot *slot, uint64_t *share_at_tick);

/* The same by the thread's registration; merges the two slots, so that both have what either has seen. */
TC_INTERNAL int tc_thread_read_registered(threadclock_thread thread, struct tc_slot *slot);

#endif
