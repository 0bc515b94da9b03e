/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ids of the calling thread, and conversions of the kernel's results to nanoseconds. */
#ifndef TC_CLOCK_ID_H
#define TC_CLOCK_ID_H

#include <errno.h>
#include <sys/time.h>

#include "sys.h"
#include "threadclock.h"

/* ~0 << 3 | thread bit | which clock: id 0 is the caller, which spares the kernel the lookup of the TID. */
#define TC_CLOCK_OWN_PROF ((clockid_t)-4)
#define TC_CLOCK_OWN_VIRT ((clockid_t)-3)
#define TC_CLOCK_OWN_SCHED ((clockid_t)-2)

/* Nanoseconds, or -EOVERFLOW: negative, or at least 2^33 s (272 years), too much for 63 bits. */
static inline int64_t tc_timespec_ns(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec >> 33 != 0 ? -EOVERFLOW : (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
}

/* The same, but -EOVERFLOW from 2^32 s on, so that the sum of user and system is below 2^63 ns. */
static inline int64_t tc_timeval_ns(const struct timeval *tv)
{
    return (uint64_t)tv->tv_sec >> 32 != 0 ? -EOVERFLOW
                                           : (int64_t)tv->tv_sec * 1000000000 + (int64_t)tv->tv_usec * 1000;
}

/* A clock of a thread of this process: nanoseconds, or a negative errno. */
static inline int64_t tc_thread_clock_ns(pid_t tid, enum threadclock_clock clock)
{
    return threadclock_clock_ns((clockid_t)(~(uint32_t)tid << 3 | 4 | clock));
}

/* The result of getrusage: 0 and the times, total_ns the sum of the two; or a negative errno. */
TC_INTERNAL int tc_rusage_times(int who, struct threadclock_times *times);

#endif
