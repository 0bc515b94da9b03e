/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks that have run for lifetimes, and values that no clock can have. */
#include "support.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp.h"

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
    static const long asked[] = {SYS_clock_gettime, SYS_getrusage};
    said_by_cpu_clocks = (struct timespec){cpu_seconds, 999999999};
    said_by_getrusage = (struct timeval){user_seconds, 999999};
    return answer_system_calls(asked, 2, long_lived_answer) == 0;
}

static const int64_t longest_s = (INT64_C(1) << 33) - 1, longest_of_parts_s = (INT64_C(1) << 32) - 1;

/* The longest valid times: the parts, their sum, half of it in user mode. */
static bool lifetimes_are_times(void *unused)
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

static void the_longest_lifetimes_are_times(void **state)
{
    assert_true(true_in_child(fork, lifetimes_are_times, NULL));
}

static void longer_ones_and_negative_ones_overflow(void **state)
{
    int64_t too_long[] = {longest_s + 1, INT64_MAX, -1};
    for (int i = 0; i < 3; i++)
        assert_true(true_in_child(fork, says_overflow, &too_long[i]));
}

int main(void)
{
    if (UNDER_THREAD_SANITIZER) {
        puts("SKIP: the thread sanitizer holds signals back until the thread calls the C library");
        return 77;
    }
    if (!filters_can_be_installed()) {
        puts("SKIP: " NO_FILTERS);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_lifetimes_are_times),
        cmocka_unit_test(longer_ones_and_negative_ones_overflow),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
