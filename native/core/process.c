/* SPDX-License-Identifier: Apache-2.0 */
/* The times of the whole process. */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "clock_id.h"

/*
 * Both values are the kernel's, the same for every reader. The clock is read first: what getrusage splits
 * afterwards is not less, so total, the greater of the two, does not decrease either.
 */
int threadclock_process_times(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    int64_t total_ns = threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (total_ns < 0)
        return (int)total_ns;
    int error = tc_rusage_times(RUSAGE_SELF, times);
    if (error == 0 && total_ns > times->total_ns)
        times->total_ns = total_ns;
    return error;
}
