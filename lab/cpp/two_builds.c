/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two builds of the library in one process, in turns: does a change slow down reads of the calling
 * thread?
 *
 * How to run: cmake -S lab/cpp -B build/lab-cpp -G Ninja &&
 *     cmake --build build/lab-cpp --target two_builds &&
 *     taskset -c 1 build/lab-cpp/two_builds OLD.so NEW.so
 *
 * Blocks of microseconds follow each other, so that both builds see the same noise; most blocks see none.
 * Shown are the tenth percentiles and their ratio. Not the interpolated total: two copies cannot share a
 * thread's rseq area.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 20001, CALLS = 1000 };

typedef int64_t read_ns(void);

static const char *const names[] = {"threadclock_user_tick_ns", "threadclock_system_tick_ns",
                                    "threadclock_total_tick_ns", "threadclock_user_now_ns",
                                    "threadclock_total_now_ns"};

static int64_t monotonic_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static double block_ns(read_ns *read, int calls)
{
    int64_t begin_ns = monotonic_ns();
    for (int i = 0; i < calls; i++)
        read();
    return (double)(monotonic_ns() - begin_ns) / calls;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void compare(const char *name, void *const builds[2])
{
    static double ns[2][BLOCKS];
    read_ns *reads[2] = {(read_ns *)dlsym(builds[0], name), (read_ns *)dlsym(builds[1], name)};
    if (reads[0] == NULL || reads[1] == NULL)
        return;
    int calls = reads[0]() >= 0 && block_ns(reads[0], 10) > 100 ? CALLS / 50 : CALLS; /* slow: system calls */
    for (int i = 0; i < BLOCKS; i++)
        for (int turn = 0; turn < 2; turn++)
            ns[(i + turn) % 2][i] = block_ns(reads[(i + turn) % 2], calls);
    for (int build = 0; build < 2; build++)
        qsort(ns[build], BLOCKS, sizeof ns[build][0], by_value);
    printf("%-32s %9.2f %9.2f %9.3f\n", name, ns[0][BLOCKS / 10], ns[1][BLOCKS / 10],
           ns[1][BLOCKS / 10] / ns[0][BLOCKS / 10]);
}

int main(int count, char **arguments)
{
    void *builds[2];
    if (count != 3) {
        fprintf(stderr, "usage: two_builds OLD.so NEW.so\n");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        builds[i] = dlopen(arguments[i + 1], RTLD_NOW);
        if (builds[i] == NULL) {
            fprintf(stderr, "two_builds: %s\n", dlerror());
            return 1;
        }
    }
    printf("%-32s %9s %9s %9s\n", "read", "old ns", "new ns", "new / old");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        compare(names[i], builds);
    return 0;
}
