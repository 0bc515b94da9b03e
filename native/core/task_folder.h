/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/task: lists the process's threads, and finds out whether the list can have changed. */
#ifndef TC_TASK_FOLDER_H
#define TC_TASK_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

/*
 * Calls found for each thread in the folder, with the inode of its entry. 0, or a negative errno: of the
 * folder (-EREMOTE: of another PID namespace, proc_stat.h), or the one that found returned. A live thread may
 * be missing: if others end meanwhile, the kernel's listing skips some (first_tid, next_tid in
 * fs/proc/base.c).
 */
TC_INTERNAL int tc_task_list(int (*found)(pid_t tid, uint64_t inode));

/* The number of threads of the process, from the folder's link count; or a negative errno. */
TC_INTERNAL int64_t tc_task_count(void);

/*
 * The state of TID allocation at one moment. The kernel allocates TIDs cyclically (idr_alloc_cyclic in
 * alloc_pid, kernel/pid.c).
 */
struct tc_tid_moment {
    int64_t last;         /* the TID allocated last in this PID namespace; 0: unknown */
    int64_t unused;       /* lower bound of the number of free TIDs */
    int64_t forks;        /* of processes and threads since boot; 0: unknown */
    int64_t monotonic_ns;
};

/*
 * System calls: nine. With forks thirteen, and 10 to 1,000 us more, depending on the number of CPUs; only
 * where the kernel has less than a million TIDs.
 */
TC_INTERNAL void tc_tid_moment(struct tc_tid_moment *moment, bool with_forks);

/*
 * True if this TID can have been given to a thread between the two moments, or if that is unknown. TIDs that
 * a program chooses itself (ns_last_pid, set_tid of clone3(2); both are meant for restoring processes) are
 * not considered.
 */
TC_INTERNAL bool tc_tid_given_between(const struct tc_tid_moment *before, const struct tc_tid_moment *after,
                                      pid_t tid);

#endif
