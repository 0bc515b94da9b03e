// SPDX-License-Identifier: Apache-2.0
// How old tick readings are, how far interpolated ones are off, measured against the precise clock read just
// before and after, and whether a value ever decreases.
//
// HOW TO RUN: build/lab/freshness SECONDS; prints one JSON object. All values are nanoseconds of the thread's
// own CPU time.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "histogram.hpp"
#include "sources.hpp"

namespace {

struct Watched {
    const char *name;
    int64_t (*read)();
    Histogram behind; // the precise clock before the read, minus the reading: its age
    Histogram ahead;  // the reading minus the precise clock after it
    uint64_t backward = 0;
    int64_t last_ns = 0;

    // Each comparison lasts about a microsecond, so that all moments of a tick are covered.
    void watch(int64_t duration_ns)
    {
        for (const int64_t end_ns = sources::monotonic() + duration_ns; sources::monotonic() < end_ns;)
            look();
    }

    void look()
    {
        const int64_t before_ns = sources::thread_cputime();
        const int64_t reading_ns = read();
        const int64_t after_ns = sources::thread_cputime();
        behind.record(before_ns - reading_ns);
        ahead.record(reading_ns - after_ns);
        backward += reading_ns < last_ns;
        last_ns = reading_ns;
    }

    void print(const char *comma) const
    {
        std::printf("%s{\"name\":\"%s\",\"backward\":%llu,\"behind\":", comma, name,
                    static_cast<unsigned long long>(backward));
        behind.print_json();
        std::printf(",\"ahead\":");
        ahead.print_json();
        std::printf("}");
    }
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: freshness SECONDS\n");
        return 2;
    }
    const auto half_ns = static_cast<int64_t>(std::atof(argv[1]) * 1e9 / 2);
    Watched tick{"tick", threadclock_total_tick_ns, {}, {}};
    Watched interpolated{"interpolated", threadclock_total_interpolated_ns, {}, {}};
    for (Watched *watched : {&tick, &interpolated})
        // One thread per source: a read of one source updates what the others show in its thread.
        std::thread(&Watched::watch, watched, half_ns).join();
    threadclock_source source{};
    threadclock_describe(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED, &source);
    std::printf("{\"tick_length_ns\":%lld,\"interpolated_source\":\"%s\",\"watched\":[",
                static_cast<long long>(threadclock_tick_length_ns()), source.name);
    tick.print("");
    interpolated.print(",");
    std::printf("]}\n");
    return 0;
}
