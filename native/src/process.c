/* SPDX-License-Identifier: Apache-2.0 */
/* The times of the whole process. */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "clock_id.h"
#include "sys.h"

/*
 * Both are the kernel's, and the same for everybody who asks. The clock first: what getrusage divides afterwards is not
 * less, so total, the greater of the two, does not go back either.
 */
int threadclock_process_times(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    int64_t total_ns = threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage usage;
    long error = tc_syscall4(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0);
    if (error < 0)
        return (int)error;
    times->user_ns = tc_timeval_ns(&usage.ru_utime);
    times->system_ns = tc_timeval_ns(&usage.ru_stime);
    int64_t sum_ns = times->user_ns + times->system_ns;
    times->total_ns = total_ns > sum_ns ? total_ns : sum_ns;
    return 0;
}
