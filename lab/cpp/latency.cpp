// SPDX-License-Identifier: Apache-2.0
// How long single reads of the calling thread take, with each source in turn, while other threads map and
// unmap memory.
//
// HOW TO RUN: build/lab/latency SECONDS THREADS [SOURCE...]; prints one JSON object. A read is timed with two
// vDSO clock reads, which every figure includes; the source "null" shows their cost.
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "histogram.hpp"
#include "sources.hpp"

namespace {

constexpr int64_t kSliceNs = 20'000'000;
constexpr size_t kMapped = 1 << 20;

std::atomic<bool> ended{false};

void map_and_unmap()
{
    while (!ended.load(std::memory_order_relaxed)) {
        void *memory = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        *static_cast<volatile char *>(memory) = 1;
        munmap(memory, kMapped);
    }
}

void slice(const sources::Source &source, Histogram &histogram)
{
    const int64_t end_ns = sources::monotonic() + kSliceNs;
    for (int64_t before_ns = sources::monotonic(); before_ns < end_ns;) {
        const int64_t value = source.read();
        __asm__ volatile("" : : "r"(value));
        histogram.record(sources::monotonic() - before_ns);
        before_ns = sources::monotonic();
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: latency SECONDS THREADS [SOURCE...]\n");
        return 2;
    }
    const double seconds = std::atof(argv[1]);
    const int stressors = std::atoi(argv[2]);
    std::vector<const sources::Source *> chosen;
    for (int i = 3; i < argc; i++) {
        const sources::Source *source = sources::find(argv[i]);
        if (source == nullptr) {
            std::fprintf(stderr, "latency: no such source: %s\n", argv[i]);
            return 2;
        }
        chosen.push_back(source);
    }
    if (chosen.empty())
        for (const sources::Source &source : sources::all)
            chosen.push_back(&source);

    std::vector<std::thread> threads;
    for (int i = 0; i < stressors; i++)
        threads.emplace_back(map_and_unmap);
    std::vector<Histogram> histograms(chosen.size());
    const int64_t end_ns = sources::monotonic() + static_cast<int64_t>(seconds * 1e9);
    do {
        for (size_t i = 0; i < chosen.size(); i++)
            slice(*chosen[i], histograms[i]);
    } while (sources::monotonic() < end_ns);
    ended = true;
    for (std::thread &thread : threads)
        thread.join();

    std::printf("{\"stressors\":%d,\"sources\":[", stressors);
    for (size_t i = 0; i < chosen.size(); i++) {
        std::printf("%s{\"name\":\"%s\",\"title\":\"%s\",\"values\":", i == 0 ? "" : ",", chosen[i]->name,
                    chosen[i]->title);
        histograms[i].print_json();
        std::printf("}");
    }
    std::printf("]}\n");
    return 0;
}
