// SPDX-License-Identifier: Apache-2.0
// Reads the calling thread for tools that count its system calls or the kernel's allocations.
//
// HOW TO RUN: build/lab/count_reads READS SOURCE... under perf, strace or bpftrace. While the thread reads a
// source it has the name tc:SOURCE, so that a tracer can distinguish the reads from everything else. The
// source "one_byte" repeatedly opens the thread's stat file and reads one byte: this is the published
// experiment, and the control of ours.
#include <fcntl.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sources.hpp"

namespace {

int64_t one_byte()
{
    char byte = 0;
    const int file = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
    const int64_t got = read(file, &byte, 1);
    close(file);
    return got;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: count_reads READS SOURCE...\n");
        return 2;
    }
    const long reads = std::atol(argv[1]);
    int64_t sum = 0;
    for (int i = 2; i < argc; i++) {
        const sources::Source *source = sources::find(argv[i]);
        int64_t (*read)() = source == nullptr ? nullptr : source->read;
        if (strcmp(argv[i], "one_byte") == 0)
            read = one_byte;
        if (read == nullptr) {
            std::fprintf(stderr, "count_reads: no such source: %s\n", argv[i]);
            return 2;
        }
        sum += read(); // the first read does the set-up
        const std::string name = std::string("tc:") + argv[i];
        prctl(PR_SET_NAME, name.c_str());
        for (long n = 0; n < reads; n++)
            sum += read();
        prctl(PR_SET_NAME, "count_reads");
    }
    return sum == -1;
}
