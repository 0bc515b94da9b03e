/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ids of CPU clocks: encode, decode, read; the raw tick clocks of the calling thread; getrusage. */
#include "clock_id.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "sys.h"

/* include/linux/posix-timers.h (2.6.12 on): CPUCLOCK_PERTHREAD_MASK 4, CPUCLOCK_CLOCK_MASK 3, CLOCKFD 3 */
enum { ID_SHIFT = 3, THREAD_BIT = 4, WHICH_MASK = 3, WHICH_FD = 3 };

static const pid_t id_max = (1 << (31 - ID_SHIFT)) - 1; /* ~id must keep its sign in bits 31..3 */

int threadclock_clockid_encode(const struct threadclock_clockid_parts *parts, clockid_t *clock_id)
{
    if (parts == NULL || clock_id == NULL)
        return -EINVAL;
    unsigned scope = (unsigned)parts->scope, clock = (unsigned)parts->clock;
    if (parts->id < 0 || parts->id > id_max || scope > THREADCLOCK_SCOPE_THREAD
        || clock > THREADCLOCK_CLOCK_SCHED)
        return -EINVAL;
    *clock_id = (clockid_t)(~(uint32_t)parts->id << ID_SHIFT | (scope ? (uint32_t)THREAD_BIT : 0U) | clock);
    return 0;
}

int threadclock_clockid_decode(clockid_t clock_id, struct threadclock_clockid_parts *parts)
{
    /* Negative ids whose low bits are not 3; others are CLOCK_* constants and clocks of descriptors. */
    if (parts == NULL || clock_id >= 0 || (clock_id & WHICH_MASK) == WHICH_FD)
        return -EINVAL;
    parts->id = (pid_t)~(clock_id >> ID_SHIFT);
    parts->scope = clock_id & THREAD_BIT ? THREADCLOCK_SCOPE_THREAD : THREADCLOCK_SCOPE_PROCESS;
    parts->clock = (enum threadclock_clock)(clock_id & WHICH_MASK);
    return 0;
}

int64_t threadclock_clock_ns(clockid_t clock_id)
{
    struct timespec ts;
    long error = tc_syscall4(SYS_clock_gettime, clock_id, (long)&ts, 0, 0);
    return error < 0 ? error : tc_timespec_ns(&ts);
}

int tc_rusage_times(int who, struct threadclock_times *times)
{
    struct rusage usage;
    long error = tc_syscall4(SYS_getrusage, who, (long)&usage, 0, 0);
    if (error < 0)
        return (int)error;
    int64_t user_ns = tc_timeval_ns(&usage.ru_utime), system_ns = tc_timeval_ns(&usage.ru_stime);
    if (user_ns < 0 || system_ns < 0)
        return -EOVERFLOW;
    *times = (struct threadclock_times){user_ns, system_ns, user_ns + system_ns};
    return 0;
}

/* cputime_adjust (kernel/sched/cputime.c) makes user + system the sum of all run times, less 2 us at most. */
int threadclock_process_times(struct threadclock_times *times)
{
    return times == NULL ? -EINVAL : tc_rusage_times(RUSAGE_SELF, times);
}

int64_t threadclock_user_raw_ns(void)
{
    return threadclock_clock_ns(TC_CLOCK_OWN_VIRT);
}

int64_t threadclock_user_system_raw_ns(void)
{
    return threadclock_clock_ns(TC_CLOCK_OWN_PROF);
}

int64_t threadclock_tick_length_ns(void)
{
    /* posix_cpu_clock_getres, kernel/time/posix-cpu-timers.c: for PROF and VIRT a second / HZ, rounded up. */
    struct timespec ts;
    long error = tc_syscall4(SYS_clock_getres, TC_CLOCK_OWN_VIRT, (long)&ts, 0, 0);
    return error < 0 ? error : tc_timespec_ns(&ts);
}

const char *threadclock_version(void)
{
    return THREADCLOCK_VERSION;
}
