// SPDX-License-Identifier: Apache-2.0
// Which clocks exist: what clock_getres and pthread_getcpuclockid report, and where threadclock takes each
// quantity from.
//
// HOW TO RUN: build/lab/detect; prints one JSON object. -1 nanoseconds means that the kernel refused.
#include <pthread.h>

#include <cstdio>

#include "sources.hpp"

namespace {

int64_t resolution_ns(clockid_t clock)
{
    timespec ts;
    return clock_getres(clock, &ts) == 0 ? int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec : -1;
}

void describe(threadclock_quantity quantity, threadclock_freshness freshness, const char *name,
              const char *comma)
{
    threadclock_source source{};
    if (threadclock_describe(quantity, freshness, &source) == 0)
        std::printf("%s{\"name\":\"%s\",\"source\":\"%s\",\"system_calls\":%d,\"resolution_ns\":%lld,"
                    "\"age_ns\":%lld}", comma, name,
                    source.name, source.system_calls, static_cast<long long>(source.resolution_ns),
                    static_cast<long long>(source.age_ns));
}

} // namespace

int main()
{
    clockid_t by_libc = 0;
    const int error = pthread_getcpuclockid(pthread_self(), &by_libc);
    std::printf("{\"getcpuclockid_error\":%d,\"getcpuclockid_is_sched_of_tid\":%s,", error,
                error == 0 && by_libc == sources::own_clock(THREADCLOCK_CLOCK_SCHED) ? "true" : "false");
    std::printf(
        "\"thread_cputime_ns\":%lld,\"sched_ns\":%lld,\"virt_ns\":%lld,\"prof_ns\":%lld,\"sources\":[",
        static_cast<long long>(resolution_ns(CLOCK_THREAD_CPUTIME_ID)),
        static_cast<long long>(resolution_ns(sources::own_clock(THREADCLOCK_CLOCK_SCHED))),
        static_cast<long long>(resolution_ns(sources::own_clock(THREADCLOCK_CLOCK_VIRT))),
        static_cast<long long>(resolution_ns(sources::own_clock(THREADCLOCK_CLOCK_PROF))));
    describe(THREADCLOCK_USER, THREADCLOCK_TICK, "user, tick", "");
    describe(THREADCLOCK_SYSTEM, THREADCLOCK_TICK, "system, tick", ",");
    describe(THREADCLOCK_TOTAL, THREADCLOCK_TICK, "total, tick", ",");
    describe(THREADCLOCK_USER, THREADCLOCK_NOW, "user, now", ",");
    describe(THREADCLOCK_SYSTEM, THREADCLOCK_NOW, "system, now", ",");
    describe(THREADCLOCK_TOTAL, THREADCLOCK_NOW, "total, now", ",");
    describe(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED, "total, interpolated", ",");
    std::printf("]}\n");
    return 0;
}
