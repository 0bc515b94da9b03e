/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes away each source in turn, and all that the interpolated total needs, and makes the clocks answer what
 * takes lifetimes: the next source answers, failures are reported, no value is wrong. Each in a child of a
 * process that has not read.
 */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpolated.h"
#include "seccomp.h"

static bool is_ordered(void)
{
    struct threadclock_times tick, now;
    burn_user_ns(40 * NS_PER_MS);
    return threadclock_times_tick(&tick) == 0 && threadclock_times_now(&now) == 0
           && tick.user_ns <= now.user_ns && tick.total_ns <= now.total_ns
           && now.user_ns + now.system_ns <= now.total_ns && now.total_ns >= 0;
}

static bool total_is_from(enum threadclock_source_id now, enum threadclock_source_id interpolated)
{
    return source_of(THREADCLOCK_TOTAL, THREADCLOCK_NOW) == now
           && source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED) == interpolated;
}

TEST_IN_FILTERED_CHILD(proc_answers_without_getrusage, NULL)
{
    int64_t before_ns = threadclock_user_tick_ns();
    burn_user_ns(40 * NS_PER_MS);
    int64_t total_ns = thread_cpu_ns(), user_ticks_ns = threadclock_user_raw_ns();
    if (DENY(EPERM, SYS_getrusage) != 0
        || source_of(THREADCLOCK_USER, THREADCLOCK_NOW) != THREADCLOCK_SOURCE_PROC
        || source_of(THREADCLOCK_TOTAL, THREADCLOCK_NOW) != THREADCLOCK_SOURCE_SCHED)
        return false;
    int64_t user_ns = threadclock_user_now_ns(), ticks_ns = threadclock_user_system_raw_ns();
    /* As the kernel divides it: on a busy machine few ticks hit it, some of them in a system call. */
    int64_t share_ns = ticks_ns > 0 ? total_ns * user_ticks_ns / ticks_ns : 0;
    return user_ns >= before_ns && user_ns >= share_ns - 20 * NS_PER_MS && is_ordered();
}

TEST_IN_FILTERED_CHILD(nothing_left_is_an_error, NULL)
{
    if (DENY(EPERM, SYS_getrusage, SYS_openat, SYS_clock_gettime) != 0
        || source_of(THREADCLOCK_USER, THREADCLOCK_TICK) != THREADCLOCK_SOURCE_NONE
        || !total_is_from(THREADCLOCK_SOURCE_NONE, THREADCLOCK_SOURCE_NONE))
        return false;
    for (int i = 0; i < 1000000; i++) {
        int64_t ns = threadclock_user_tick_ns(); /* cached until the next tick */
        if (ns == -EPERM)
            break;
        if (ns < 0)
            return false;
    }
    struct threadclock_times times;
    return threadclock_user_tick_ns() == -EPERM && threadclock_user_now_ns() == -EPERM
           && threadclock_total_now_ns() == -EPERM && threadclock_times_now(&times) == -EPERM
           && threadclock_user_raw_ns() == -EPERM && threadclock_total_interpolated_ns() == -EPERM;
}

TEST_IN_FILTERED_CHILD(the_sum_stands_in_for_the_precise_clock, NULL)
{
    int64_t before_ns = threadclock_total_now_ns();
    burn_user_ns(40 * NS_PER_MS);
    return DENY(ENOSYS, SYS_clock_gettime) == 0
           && total_is_from(THREADCLOCK_SOURCE_RUSAGE, THREADCLOCK_SOURCE_RUSAGE)
           && threadclock_total_now_ns() >= before_ns + 20 * NS_PER_MS
           && threadclock_total_interpolated_ns() >= before_ns + 20 * NS_PER_MS;
}

/* Where the total cannot be interpolated, each such read is a now read, and is described as one. */
static bool is_total_now(void)
{
    for (int i = 0; i < 20000; i++) {
        int64_t before_ns = threadclock_total_now_ns(), ns = threadclock_total_interpolated_ns();
        int64_t after_ns = threadclock_total_now_ns();
        if (ns < 0 || ns < before_ns || ns > after_ns) {
            fprintf(stderr, "read %d: %lld, between %lld and %lld\n", i, (long long)ns, (long long)before_ns,
                    (long long)after_ns);
            return false;
        }
    }
    bool is_now = total_is_from(THREADCLOCK_SOURCE_SCHED, THREADCLOCK_SOURCE_SCHED);
    if (!is_now || tc_interpolation.window != 0)
        fprintf(stderr, "window %llu, sources %d and %d\n", (unsigned long long)tc_interpolation.window,
                source_of(THREADCLOCK_TOTAL, THREADCLOCK_NOW),
                source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED));
    return is_now && tc_interpolation.window == 0;
}

TEST_IN_FILTERED_CHILD(not_interpolated_without_nanosleep, NULL)
{
    return DENY(EPERM, SYS_nanosleep) == 0 && is_total_now();
}

/* As where the sleep is over before the thread has given up its CPU. */
static void *read_without_sleep(void *unused)
{
    assert_in_any_thread(DENY(0, SYS_nanosleep) == 0 && threadclock_total_interpolated_ns() >= 0);
    assert_in_any_thread(tc_interpolation.window == 0);
    return NULL;
}

/* On a busy machine the counter may have to be measured several times. */
static bool interpolates(void *unused)
{
    bool answer = false;
    for (int tries = 0; tries < 50 && !answer; tries++)
        answer = source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_INTERPOLATED;
    return answer;
}

TEST_IN_FILTERED_CHILD(a_self_test_without_a_switch_is_repeated, NULL)
{
    if (!true_in_child(fork, interpolates, NULL))
        return true; /* not on this kernel, or without glibc's area */
    in_new_thread(read_without_sleep, NULL);
    return interpolates(NULL);
}

TEST_IN_FILTERED_CHILD(not_interpolated_without_rseq, NULL)
{
    return DENY(EPERM, SYS_rseq) == 0 && is_total_now();
}

TEST_IN_FILTERED_CHILD(not_interpolated_without_memory,
                       UNDER_THREAD_SANITIZER ? "the sanitizer needs memory itself" : NULL)
{
    return DENY(EPERM, SYS_mmap) == 0 && is_total_now();
}

TEST_IN_FILTERED_CHILD(not_interpolated_without_an_area, NULL)
{
    char self[512], command[600];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(command, sizeof command, "GLIBC_TUNABLES=glibc.pthread.rseq=0 '%s' is_total_now", self);
    return system(command) == 0;
}

static bool total_is_small(void *unused)
{
    int64_t total_ns = threadclock_total_tick_ns();
    return total_ns >= 0 && total_ns < 30 * NS_PER_MS;
}

static bool is_of_another_process(void *interval)
{
    struct threadclock_times used;
    return threadclock_interval_end(interval, &used) == -ESTALE;
}

static bool has_intervals(void)
{
    struct threadclock_interval interval;
    struct threadclock_times used;
    if (threadclock_interval_begin(&interval) != 0)
        return false;
    burn_user_ns(20 * NS_PER_MS);
    return threadclock_interval_end(&interval, &used) == 0 && used.total_ns >= 20 * NS_PER_MS
           && true_in_child(fork, is_of_another_process, &interval)
           && true_in_child(raw_fork, is_of_another_process, &interval);
}

/* Nothing is cached, and forks are still distinguished. */
static bool asks_each_time_in_each_process(void)
{
    if (source_of(THREADCLOCK_USER, THREADCLOCK_TICK) != THREADCLOCK_SOURCE_RUSAGE || !is_ordered()
        || !has_intervals())
        return false;
    for (int i = 0; i < 50; i++)
        if (threadclock_total_tick_ns() < 40 * NS_PER_MS
            || !true_in_child(i % 2 ? fork : raw_fork, total_is_small, NULL))
            return false;
    return true;
}

/* A kernel before 4.14. Needs a process that has not read yet. */
TEST_IN_FILTERED_CHILD(nothing_is_cached_without_wipe_on_fork, NULL)
{
    return deny_wipe_on_fork() == 0 && asks_each_time_in_each_process();
}

/* An emulator that accepts any advice, and ignores it. */
TEST_IN_FILTERED_CHILD(nothing_is_cached_where_wiping_is_pretended, NULL)
{
    return DENY(0, SYS_madvise) == 0 && asks_each_time_in_each_process();
}

/* PID 1 of a PID namespace, and its child, PID 1 of another. */
static bool a_parents_registration_is_not_there(void *handle)
{
    struct threadclock_times times;
    return getpid() == 1 && threadclock_thread_times(*(threadclock_thread *)handle, &times) == -ESRCH
           && total_is_small(NULL);
}

static bool has_a_child_that_is_1_as_well(void *unused)
{
    threadclock_thread handle;
    burn_user_ns(40 * NS_PER_MS);
    return getpid() == 1 && threadclock_thread_register(&handle) == 0
           && threadclock_total_tick_ns() >= 40 * NS_PER_MS && unshare(CLONE_NEWPID) == 0
           && true_in_child(raw_fork, a_parents_registration_is_not_there, &handle);
}

TEST_IN_FILTERED_CHILD(each_namespace_has_its_own_1,
                       pid_namespaces_can_be_made() ? NULL : "PID namespaces cannot be made here")
{
    return deny_wipe_on_fork() == 0 && unshare(CLONE_NEWPID) == 0
           && true_in_child(fork, has_a_child_that_is_1_as_well, unused);
}

/* Clocks that have run for lifetimes, and values that no clock can have. */
static struct timespec said_by_cpu_clocks;
static struct timeval said_by_getrusage;

static long long_lived_answer(long number, const long arguments[6])
{
    long result = kernels_answer(number, arguments);
    if (number == SYS_clock_gettime && arguments[0] < 0) {
        struct timespec *ts = (struct timespec *)arguments[1];
        *ts = said_by_cpu_clocks;
        ts->tv_sec /= (arguments[0] & 3) == THREADCLOCK_CLOCK_VIRT ? 2 : 1;
    } else if (number == SYS_getrusage) {
        struct rusage *usage = (struct rusage *)arguments[1];
        usage->ru_utime = usage->ru_stime = said_by_getrusage;
    }
    return result;
}

static bool answers_are(int64_t cpu_seconds, int64_t user_seconds)
{
    said_by_cpu_clocks = (struct timespec){cpu_seconds, 999999999};
    said_by_getrusage = (struct timeval){user_seconds, 999999};
    return ANSWER(long_lived_answer, SYS_clock_gettime, SYS_getrusage) == 0;
}

static const int64_t longest_s = (INT64_C(1) << 33) - 1, longest_of_parts_s = (INT64_C(1) << 32) - 1;

/* The longest valid times: the parts, their sum, half of it in user mode. */
TEST_IN_FILTERED_CHILD(lifetimes_are_times, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    struct threadclock_times own, by_handle, process;
    threadclock_thread thread;
    int64_t most_ns = longest_s * NS_PER_S + 999999999, part_ns = longest_of_parts_s * NS_PER_S + 999999000;
    if (!answers_are(longest_s, longest_of_parts_s) || threadclock_times_now(&own) != 0
        || threadclock_process_times(&process) != 0)
        return false;
    bool right = own.user_ns == part_ns && own.system_ns == part_ns && own.total_ns == most_ns
                 && process.user_ns == part_ns && process.system_ns == part_ns
                 && process.total_ns >= 2 * part_ns;
    if (threadclock_thread_register(&thread) != 0 || threadclock_thread_times(thread, &by_handle) != 0)
        return false;
    return right && by_handle.total_ns == most_ns && by_handle.user_ns >= part_ns
           && by_handle.system_ns >= part_ns && by_handle.user_ns + by_handle.system_ns <= most_ns
           && threadclock_user_raw_ns() == longest_s / 2 * NS_PER_S + 999999999;
}

static bool says_overflow(void *of_seconds)
{
    int64_t seconds = *(const int64_t *)of_seconds;
    struct threadclock_times times;
    threadclock_thread thread;
    int64_t before_ns = thread_cpu_ns();
    if (threadclock_thread_register(&thread) != 0 || !answers_are(seconds, seconds))
        return false;
    return threadclock_user_system_raw_ns() == -EOVERFLOW
           && threadclock_thread_times(thread, &times) == -EOVERFLOW
           && threadclock_thread_total_ns(thread) == -EOVERFLOW
           && threadclock_process_times(&times) == -EOVERFLOW
           && threadclock_times_now(&times) == 0 /* by /proc */
           && times.total_ns >= before_ns - 10 * NS_PER_MS && times.total_ns <= before_ns + NS_PER_S;
}

TEST_IN_FILTERED_CHILD(longer_ones_and_negative_ones_overflow, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    int64_t too_long[] = {longest_s + 1, INT64_MAX, -1};
    for (int i = 0; i < 3; i++)
        if (!true_in_child(fork, says_overflow, &too_long[i]))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "is_total_now") == 0)
        return is_total_now() ? 0 : 1;
    return run_added_tests();
}
