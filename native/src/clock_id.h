/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ids of the calling thread, and what the kernel answers in nanoseconds. */
#ifndef TC_CLOCK_ID_H
#define TC_CLOCK_ID_H

#include <sys/time.h>

#include "threadclock.h"

/* ~0 << 3 | thread bit | which: id 0 is the caller, which spares the kernel the look-up of the TID. */
#define TC_CLOCK_OWN_PROF ((clockid_t)-4)
#define TC_CLOCK_OWN_VIRT ((clockid_t)-3)
#define TC_CLOCK_OWN_SCHED ((clockid_t)-2)

static inline int64_t tc_timespec_ns(const struct timespec *ts)
{
    return (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
}

static inline int64_t tc_timeval_ns(const struct timeval *tv)
{
    return (int64_t)tv->tv_sec * 1000000000 + (int64_t)tv->tv_usec * 1000;
}

#endif
