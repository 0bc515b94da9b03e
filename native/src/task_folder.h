/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/task: which threads there are, and whether that can have changed. */
#ifndef TC_TASK_FOLDER_H
#define TC_TASK_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Calls found for each thread in the folder, with the inode of its name there. 0, or a negative errno: of the folder, or what
 * found returned. A thread that lives may be missing: where others end meanwhile, the kernel's listing skips some
 * (first_tid, next_tid in fs/proc/base.c).
 */
__attribute__((visibility("hidden"))) int tc_task_list(int (*found)(pid_t tid, uint64_t inode));

/* How many threads the process has, by the folder's link count; or a negative errno. */
__attribute__((visibility("hidden"))) int64_t tc_task_count(void);

/* A moment in the giving out of TIDs. The kernel gives them in a circle (idr_alloc_cyclic in alloc_pid, kernel/pid.c). */
struct tc_tid_moment {
    int64_t last;         /* that was given, in this PID namespace; 0: not known */
    int64_t unused;       /* how many the circle has at least that are not in use */
    int64_t forks;        /* of processes and threads since boot; 0: not known */
    int64_t monotonic_ns;
};

/* System calls: seven; ten and 20 to 1,000 us more, with the number of CPUs, with forks. */
__attribute__((visibility("hidden"))) void tc_tid_moment(struct tc_tid_moment *moment, bool with_forks);

/* Can this TID have been given to a thread between the two moments? True when in doubt. */
__attribute__((visibility("hidden"))) bool tc_tid_given_between(const struct tc_tid_moment *before,
                                                                const struct tc_tid_moment *after, pid_t tid);

#endif
