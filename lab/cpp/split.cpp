// SPDX-License-Identifier: Apache-2.0
// What each source reports as user and system time of threads whose work is known: around ticks, between
// them, pure user, pure system, and mixes. Each load runs in a separate thread. The truth is the precise
// clock, read around each kind of work.
//
// HOW TO RUN: build/lab/split MILLISECONDS; prints one JSON object.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "loads.h"
#include "sources.hpp"

namespace {

constexpr int64_t kMixNs = 3'000'000;
constexpr int64_t kFineMixNs = 100'000;

// How much of a thread's run time was spent in user mode; the rest was spent in the kernel.
struct Truth {
    int64_t user_ns = 0;

    template <typename Work>
    void user(Work work)
    {
        const int64_t before_ns = thread_cpu_ns();
        work();
        user_ns += thread_cpu_ns() - before_ns;
    }
};

int rounds(int64_t duration_ns)
{
    return static_cast<int>(duration_ns / threadclock_tick_length_ns());
}

void mix(Truth &truth, int64_t duration_ns, int64_t step_ns)
{
    for (int64_t end_ns = monotonic_ns() + duration_ns; monotonic_ns() < end_ns;) {
        truth.user([=] { burn_user_ns(step_ns); });
        burn_system_ns(step_ns);
    }
}

const struct {
    const char *name;
    void (*work)(Truth &, int64_t duration_ns);
} loads[] = {
    {"around ticks", [](Truth &truth, int64_t ns) { truth.user([=] { burn_around_ticks(rounds(ns)); }); }},
    {"between ticks", [](Truth &truth, int64_t ns) { truth.user([=] { burn_between_ticks(rounds(ns)); }); }},
    {"user", [](Truth &truth, int64_t ns) { truth.user([=] { burn_user_ns(ns); }); }},
    {"system", [](Truth &, int64_t ns) { burn_system_ns(ns); }},
    {"mix in steps of 3 ms", [](Truth &truth, int64_t ns) { mix(truth, ns, kMixNs); }},
    {"mix in steps of 0.1 ms", [](Truth &truth, int64_t ns) { mix(truth, ns, kFineMixNs); }},
};

void print(const char *source, int64_t user_ns, int64_t system_ns, const char *comma)
{
    std::printf("%s{\"source\":\"%s\",\"user_ns\":%lld,\"system_ns\":%lld}", comma, source,
                static_cast<long long>(user_ns), static_cast<long long>(system_ns));
}

// Each value may be older than the next one. The truth about the total comes last.
void read_all(const char *load, const Truth &truth)
{
    const int64_t raw_user_ns = threadclock_user_raw_ns();
    const int64_t raw_both_ns = threadclock_user_system_raw_ns();
    threadclock_times proc{}, tick{}, now{};
    threadclock_proc_times(0, &proc);
    threadclock_times_tick(&tick);
    threadclock_times_now(&now);
    const int64_t total_ns = thread_cpu_ns();
    std::printf("{\"load\":\"%s\",\"user_ns\":%lld,\"total_ns\":%lld,\"readings\":[", load,
                static_cast<long long>(truth.user_ns), static_cast<long long>(total_ns));
    print("threadclock, tick", tick.user_ns, tick.system_ns, "");
    print("threadclock, now", now.user_ns, now.system_ns, ",");
    print("/proc (legacy)", proc.user_ns, proc.system_ns, ",");
    print("VIRT and PROF clocks (bits)", raw_user_ns, raw_both_ns - raw_user_ns, ",");
    std::printf("]}");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: split MILLISECONDS\n");
        return 2;
    }
    const int64_t duration_ns = std::atoll(argv[1]) * NS_PER_MS;
    std::printf("{\"tick_length_ns\":%lld,\"loads\":[", static_cast<long long>(threadclock_tick_length_ns()));
    const char *comma = "";
    for (const auto &load : loads) {
        std::printf("%s", comma);
        std::thread([&] {
            Truth truth;
            load.work(truth, duration_ns);
            read_all(load.name, truth);
        }).join();
        comma = ",";
    }
    std::printf("]}\n");
    return 0;
}
