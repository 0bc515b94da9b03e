/* SPDX-License-Identifier: Apache-2.0 */
/* What the reads of the calling thread share with those that describe and bind them. */
#ifndef TC_OWN_THREAD_H
#define TC_OWN_THREAD_H

#include <stdbool.h>

#include "threadclock.h"

/* user and system of the calling thread as the kernel has scaled them, total_ns their sum, and where they come from. */
__attribute__((visibility("hidden"))) enum threadclock_source_id tc_sample(struct threadclock_times *times, int *error);

/* True if the interpolated total of the calling thread needs no system call at present. May wait for 20 ms to find out. */
__attribute__((visibility("hidden"))) bool tc_own_interpolates(void);

/* False: the calling thread, whose TID this is, has never read itself, nor been moved. Touches no thread-local storage. */
__attribute__((visibility("hidden"))) bool tc_own_cell_used(pid_t tid);

struct tc_slot;

/* From now on the calling thread's times are in this slot; in its own again; where they are, null: in its own. Not from a signal handler. */
__attribute__((visibility("hidden"))) void tc_own_move_to(struct tc_slot *slot);
__attribute__((visibility("hidden"))) void tc_own_move_home(void);
__attribute__((visibility("hidden"))) const struct tc_slot *tc_own_slot(void);

#endif
