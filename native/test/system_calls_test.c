/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls the reads make: a filter turns every one into a signal, whose handler counts it and lets
 * the kernel answer.
 */
#include "support.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "seccomp.h"

enum { TICK_READS = 20000000, NOW_READS = 1000 };

static struct {
    long getrusage, clock_gettime, others;
} counts;

static long count_and_answer(long number, const long arguments[6])
{
    ++*(number == SYS_getrusage       ? &counts.getrusage
        : number == SYS_clock_gettime ? &counts.clock_gettime
                                      : &counts.others);
    return kernels_answer(number, arguments);
}

/* By the vDSO. */
static int64_t coarse_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

TEST_IN_FILTERED_CHILD(a_tick_read_makes_one_system_call_per_tick, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    int64_t tick_ns = threadclock_tick_length_ns(), start_ns = coarse_ns();
    if (threadclock_user_now_ns() < 0 || answer_all_system_calls(count_and_answer) != 0)
        return false;
    for (int i = 0; i < TICK_READS; i++)
        if (threadclock_user_tick_ns() < 0)
            return false;
    long ticks = (long)((coarse_ns() - start_ns) / tick_ns);
    return counts.getrusage > 0 && counts.getrusage <= ticks + 1 + TICK_READS / 100000
           && counts.clock_gettime == 0 && counts.others == 0;
}

/* The control: the test above would pass if no call were counted. */
TEST_IN_FILTERED_CHILD(a_now_read_makes_two_system_calls, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    if (threadclock_user_now_ns() < 0 || answer_all_system_calls(count_and_answer) != 0)
        return false;
    for (int i = 0; i < NOW_READS; i++)
        if (threadclock_user_now_ns() < 0)
            return false;
    return counts.getrusage == NOW_READS && counts.clock_gettime == NOW_READS && counts.others == 0;
}

static struct {
    long file; /* that says how many TIDs the kernel has */
    int listings;
} tids = {-1, 0};

/* A large pid_max, as systemd sets it (4,194,304), but one that could be used up in 1.1 s. */
static long with_many_tids(long number, const long arguments[6])
{
    static const char pid_max[] = "1100000\n";
    if (number == SYS_read && arguments[0] == tids.file) {
        memcpy((void *)arguments[1], pid_max, sizeof pid_max - 1);
        return sizeof pid_max - 1;
    }
    long result = kernels_answer(number, arguments);
    tids.listings += number == SYS_getdents64;
    if (number == SYS_openat)
        tids.file = strcmp((const char *)arguments[1], "/proc/sys/kernel/pid_max") == 0 ? result
                    : result == tids.file ? -1 : tids.file;
    return result;
}

static void *wait_for_ever(void *unused)
{
    while (true)
        pause();
    return unused;
}

/* With so many TIDs forks are not counted: after 1.1 s any TID may have been reused. */
TEST_IN_FILTERED_CHILD(unchanged_threads_are_not_listed_again, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    enum { THREADS = 20, ROOM = 100 };
    static struct threadclock_thread_row rows[ROOM];
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
            return false;
    if (ANSWER(with_many_tids, SYS_openat, SYS_read, SYS_getdents64) != 0
        || threadclock_all_threads(rows, ROOM) != THREADS + 1 || tids.listings == 0)
        return false;
    int listings = tids.listings;
    sleep(2);
    return threadclock_all_threads(rows, ROOM) == THREADS + 1 && tids.listings == listings;
}
