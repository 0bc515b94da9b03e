// SPDX-License-Identifier: Apache-2.0
// The cost of a read of the calling thread in C and C++, with each source and with the peers that wrap one.
//
// HOW TO RUN: cmake -S lab/cpp -B build/lab-cpp -G Ninja && cmake --build build/lab-cpp &&
// build/lab-cpp/own_thread
// Pin it (taskset -c 1) on a quiet machine. The ratios to the baselines hold on other machines as well.
#include <benchmark/benchmark.h>
#include "sources.hpp"

#ifdef HAVE_BOOST
#include <boost/chrono/thread_clock.hpp>
#endif
#ifdef HAVE_PAPI
#include <papi.h>
#endif

using namespace sources;

namespace {

template <int64_t (*read)()>
void reads(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(read());
}

int64_t triple()
{
    threadclock_times times;
    return threadclock_times_tick(&times) == 0 ? times.user_ns + times.total_ns : -1;
}

BENCHMARK(reads<nothing>)->Name("baseline");
BENCHMARK(reads<monotonic_coarse>)->Name("vDSO: CLOCK_MONOTONIC_COARSE");
BENCHMARK(reads<monotonic>)->Name("vDSO: CLOCK_MONOTONIC (nanoTime)");
BENCHMARK(reads<bare_system_call>)->Name("bare system call: getppid");

BENCHMARK(reads<threadclock_user_tick_ns>)->Name("user: threadclock, tick");
BENCHMARK(reads<threadclock_user_now_ns>)->Name("user: threadclock, now");
BENCHMARK(reads<rusage_user>)->Name("user: getrusage(RUSAGE_THREAD)");
BENCHMARK(reads<threadclock_user_raw_ns>)->Name("user: VIRT clock (wrong: raw ticks)");
BENCHMARK(reads<proc_user>)->Name("user: /proc/self/task/<tid>/stat");

BENCHMARK(reads<triple>)->Name("all three: threadclock, tick");

BENCHMARK(reads<threadclock_total_tick_ns>)->Name("total: threadclock, tick");
BENCHMARK(reads<threadclock_total_interpolated_ns>)->Name("total: threadclock, interpolated");
BENCHMARK(reads<threadclock_total_now_ns>)->Name("total: threadclock, now");
BENCHMARK(reads<thread_cputime>)->Name("total: clock_gettime(CLOCK_THREAD_CPUTIME_ID)");

#ifdef HAVE_BOOST
int64_t boost_thread_clock()
{
    return boost::chrono::thread_clock::now().time_since_epoch().count();
}
BENCHMARK(reads<boost_thread_clock>)->Name("total: boost::chrono::thread_clock");
#endif

#ifdef HAVE_PAPI
int64_t papi_virtual()
{
    return PAPI_get_virt_nsec();
}
BENCHMARK(reads<papi_virtual>)->Name("total: PAPI_get_virt_nsec");
#endif

} // namespace

int main(int argc, char **argv)
{
#ifdef HAVE_PAPI
    /* Asks for hardware counters, which a virtual machine may lack. The timers work without them. */
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        fprintf(stderr, "PAPI does not start here; its figure is that of its fallback\n");
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
#ifndef HAVE_BOOST
    fprintf(stderr, "left out: boost chrono (libboost-chrono-dev was not there when this was built)\n");
#endif
#ifndef HAVE_PAPI
    fprintf(stderr, "left out: PAPI (libpapi-dev was not there when this was built)\n");
#endif
    return 0;
}
