/* SPDX-License-Identifier: Apache-2.0 */
/* How long a thread was runnable and waited for a CPU: /proc/self/task/<tid>/schedstat. */
#ifndef TC_RUN_QUEUE_H
#define TC_RUN_QUEUE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

/*
 * The second field of a schedstat file, if the first, the run time, is at least ran_ns. 0 or more, or
 * -EBADMSG: not three numbers; -ENODATA: the kernel does not count (all zero, without CONFIG_SCHED_INFO);
 * -ESRCH: the run time is less, so this is another thread, which has reused the TID.
 */
TC_INTERNAL int64_t tc_run_queue_parse(const char *text, size_t size, int64_t ran_ns);

/*
 * Nanoseconds that a thread of this process has waited since it started, counted when a wait ends
 * (sched_info_arrive in kernel/sched/stats.h): the value cannot change while the run time does not. ran_ns is
 * a run time of the thread that its clock has shown before. A negative errno as above, or -ESRCH: it has
 * ended, or of the file. Three system calls.
 */
TC_INTERNAL int64_t tc_run_queue_waited_ns(pid_t tid, int64_t ran_ns);

#endif
