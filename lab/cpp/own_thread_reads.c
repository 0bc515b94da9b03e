/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a read of the calling thread in nanoseconds, for each source, its baseline and its peers.
 *
 * How to run: cmake -S lab/cpp -B build/lab-cpp -G Ninja &&
 *     cmake --build build/lab-cpp --target own_thread_reads && build/lab-cpp/own_thread_reads
 *
 * Subjects take turns in each round, so that noise affects all alike; the median of the rounds is shown. A
 * quiet machine and a pinned process (taskset) give steadier figures, but do not change the ratios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threadclock.h"

enum { ROUNDS = 101 };

static int64_t sink;

static int64_t monotonic_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t coarse(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return ts.tv_nsec;
}

static int64_t nothing(void)
{
    __asm__ volatile("");
    return 0;
}

static int64_t thread_cputime(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return ts.tv_nsec;
}

static int64_t rusage_thread(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_utime.tv_usec;
}

static int64_t bare_system_call(void)
{
    return syscall(SYS_getppid);
}

static int64_t times_tick(void)
{
    struct threadclock_times times;
    threadclock_times_tick(&times);
    return times.user_ns;
}

static int64_t proc_stat(void)
{
    struct threadclock_times times;
    threadclock_proc_times(0, &times);
    return times.user_ns;
}

static const struct subject {
    const char *name;
    int64_t (*read)(void);
    int reads;
} subjects[] = {
    {"baseline: empty function", nothing, 100000},
    {"vDSO CLOCK_MONOTONIC_COARSE (libc)", coarse, 100000},
    {"vDSO CLOCK_MONOTONIC (libc; = nanoTime)", monotonic_ns, 100000},
    {"threadclock_user_tick_ns", threadclock_user_tick_ns, 100000},
    {"threadclock_system_tick_ns", threadclock_system_tick_ns, 100000},
    {"threadclock_total_tick_ns", threadclock_total_tick_ns, 100000},
    {"threadclock_times_tick", times_tick, 100000},
    {"threadclock_total_interpolated_ns", threadclock_total_interpolated_ns, 100000},
    {"bare system call (getppid)", bare_system_call, 5000},
    {"threadclock_user_raw_ns (wrong: raw ticks)", threadclock_user_raw_ns, 5000},
    {"getrusage(RUSAGE_THREAD)", rusage_thread, 5000},
    {"clock_gettime(CLOCK_THREAD_CPUTIME_ID)", thread_cputime, 5000},
    {"threadclock_total_now_ns", threadclock_total_now_ns, 5000},
    {"threadclock_user_now_ns", threadclock_user_now_ns, 5000},
    {"threadclock_proc_times (legacy)", proc_stat, 500},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double ns[SUBJECTS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int s = 0; s < SUBJECTS; s++) {
            int64_t start = monotonic_ns();
            for (int i = 0; i < subjects[s].reads; i++)
                sink += subjects[s].read();
            ns[s][round] = (double)(monotonic_ns() - start) / subjects[s].reads;
        }
    }
    printf("%-46s %10s %10s %14s\n", "read", "median ns", "p90 ns", "x coarse clock");
    for (int s = 0; s < SUBJECTS; s++)
        qsort(ns[s], ROUNDS, sizeof(double), by_value);
    for (int s = 0; s < SUBJECTS; s++)
        printf("%-46s %10.2f %10.2f %14.2f\n", subjects[s].name, ns[s][ROUNDS / 2], ns[s][ROUNDS * 9 / 10],
               ns[s][ROUNDS / 2] / ns[1][ROUNDS / 2]);
    return 0;
}
