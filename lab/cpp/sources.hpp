// SPDX-License-Identifier: Apache-2.0
// The sources of a thread's CPU time, each as one read of the calling thread, and the baselines beside them.
#pragma once
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "threadclock.h"

namespace sources {

inline int64_t gettime_ns(clockid_t clock)
{
    timespec ts;
    clock_gettime(clock, &ts);
    return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

inline int64_t nothing()
{
    __asm__ volatile("");
    return 0;
}

inline int64_t monotonic()
{
    return gettime_ns(CLOCK_MONOTONIC);
}

inline int64_t monotonic_coarse()
{
    return gettime_ns(CLOCK_MONOTONIC_COARSE);
}

inline int64_t bare_system_call()
{
    return syscall(SYS_getppid);
}

inline int64_t thread_cputime()
{
    return gettime_ns(CLOCK_THREAD_CPUTIME_ID);
}

inline int64_t rusage_user()
{
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return int64_t{usage.ru_utime.tv_sec} * 1'000'000'000 + usage.ru_utime.tv_usec * 1'000;
}

inline int64_t proc_user()
{
    threadclock_times times;
    return threadclock_proc_times(0, &times) == 0 ? times.user_ns : -1;
}

inline clockid_t own_clock(threadclock_clock which)
{
    const threadclock_clockid_parts parts{static_cast<pid_t>(syscall(SYS_gettid)), THREADCLOCK_SCOPE_THREAD,
                                          which};
    clockid_t clock = 0;
    threadclock_clockid_encode(&parts, &clock);
    return clock;
}

// As OpenJDK 26 does it: the kernel looks the TID up.
inline int64_t virt_by_tid()
{
    static thread_local const clockid_t clock = own_clock(THREADCLOCK_CLOCK_VIRT);
    return gettime_ns(clock);
}

inline int64_t sched_by_tid()
{
    static thread_local const clockid_t clock = own_clock(THREADCLOCK_CLOCK_SCHED);
    return gettime_ns(clock);
}

struct Source {
    const char *name; // at most 12 characters: it becomes part of a thread's name
    const char *title;
    int64_t (*read)();
};

inline const Source all[] = {
    {"null", "baseline: nothing", nothing},
    {"coarse", "vDSO: CLOCK_MONOTONIC_COARSE", monotonic_coarse},
    {"monotonic", "vDSO: CLOCK_MONOTONIC (nanoTime)", monotonic},
    {"getppid", "bare system call: getppid", bare_system_call},
    {"tick", "threadclock user, tick cache", threadclock_user_tick_ns},
    {"interpolated", "threadclock total, interpolated", threadclock_total_interpolated_ns},
    {"virt_pid0", "VIRT clock, PID 0", threadclock_user_raw_ns},
    {"virt_tid", "VIRT clock by TID (bits: JDK 25.0.5+, 26)", virt_by_tid},
    {"sched", "CLOCK_THREAD_CPUTIME_ID", thread_cputime},
    {"sched_tid", "SCHED clock by TID", sched_by_tid},
    {"rusage", "getrusage(RUSAGE_THREAD)", rusage_user},
    {"now", "threadclock user, now", threadclock_user_now_ns},
    {"proc", "/proc/self/task/<tid>/stat (legacy)", proc_user},
};

inline const Source *find(const char *name)
{
    for (const Source &source : all)
        if (strcmp(source.name, name) == 0)
            return &source;
    return nullptr;
}

} // namespace sources
