/* SPDX-License-Identifier: Apache-2.0 */
/* The times of the whole process. */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "clock_id.h"

/* cputime_adjust (kernel/sched/cputime.c) makes user + system the sum of all run times, less 2 us at most. */
int threadclock_process_times(struct threadclock_times *times)
{
    return times == NULL ? -EINVAL : tc_rusage_times(RUSAGE_SELF, times);
}
