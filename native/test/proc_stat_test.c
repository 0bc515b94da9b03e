/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The /proc reader: all forms of a stat and of a schedstat line, threads that end or reuse a TID, and
 * agreement with the kernel's clock.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "proc_stat.h"

#define AFTER_NAME " S 1 7 7 0 -1 4194560 1 2 3 4 "
#define TAIL " 0 0 20 0 1 0 123 456 789 18446744073709551615 0 0 0\n"

static int parse(const char *text, int64_t user_hz, struct threadclock_times *times)
{
    return tc_proc_parse(text, strlen(text), user_hz, times);
}

static void assert_parsed(const char *text, int64_t user_hz, int64_t user_ns, int64_t system_ns)
{
    struct threadclock_times times;
    assert_int_equal(parse(text, user_hz, &times), 0);
    assert_int_equal(times.user_ns, user_ns);
    assert_int_equal(times.system_ns, system_ns);
    assert_int_equal(times.total_ns, user_ns + system_ns);
}

TEST(user_and_system_are_fields_14_and_15)
{
    assert_parsed("7 (java)" AFTER_NAME "250 30" TAIL, 100, 2500000000, 300000000);
    assert_parsed("7 (java)" AFTER_NAME "0 0" TAIL, 100, 0, 0);
}

TEST(a_name_may_hold_anything)
{
    static const char *const names[] = {
        "a b c", "a) S 1 2 3", ")", "((()))", "a\nb", "1 2 3 4 5 6 7 8 9 10 11 12 13 14", "",
        ") R 1 7 7 0 -1 4194560 1 2 3 4 99 99",
        "kworker/0:1H-events_highpri_and_a_long_name_of_64_bytes_in_all"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "7 (%s)" AFTER_NAME "250 30" TAIL, names[i]);
        assert_parsed(text, 100, 2500000000, 300000000);
    }
}

TEST(any_user_hz_is_converted)
{
    assert_parsed("7 (x)" AFTER_NAME "1024 512" TAIL, 1024, 1000000000, 500000000);
    assert_parsed("7 (x)" AFTER_NAME "1 2" TAIL, 1000, 1000000, 2000000);
    assert_parsed("7 (x)" AFTER_NAME "3 0" TAIL, 300, 10000000, 0);
    assert_parsed("7 (x)" AFTER_NAME "100000000000 1" TAIL, 100, INT64_C(1000000000000000000), 10000000);
}

TEST(a_truncated_line_is_refused)
{
    const char *whole = "7 (java)" AFTER_NAME "250 30 ";
    struct threadclock_times times = {1, 2, 3};
    for (size_t size = 0; size < strlen(whole); size++)
        assert_int_equal(tc_proc_parse(whole, size, 100, &times), -EBADMSG);
    assert_int_equal(times.user_ns, 1); /* a failure does not change it */
    assert_int_equal(tc_proc_parse(whole, strlen(whole), 100, &times), 0);
}

TEST(text_that_is_no_stat_line_is_refused)
{
    struct threadclock_times times;
    assert_int_equal(parse("", 100, &times), -EBADMSG);
    assert_int_equal(parse("Name:\tjava\nState:\tS\n", 100, &times), -EBADMSG);
    assert_int_equal(parse("7 (java)" AFTER_NAME "-250 30" TAIL, 100, &times), -EBADMSG);
    assert_int_equal(parse("7 (java)" AFTER_NAME "2x50 30" TAIL, 100, &times), -EBADMSG);
    assert_int_equal(parse("7 (java)" AFTER_NAME " 30 1" TAIL, 100, &times), -EBADMSG);
    assert_int_equal(parse("7 (java)" AFTER_NAME "99999999999999999999 30" TAIL, 100, &times), -EBADMSG);
    assert_int_equal(parse("7 (java)" AFTER_NAME "9223372036854775807 30" TAIL, 100, &times), -EBADMSG);
    char overlong[4096];
    memset(overlong, 'x', sizeof overlong);
    assert_int_equal(tc_proc_parse(overlong, sizeof overlong, 100, &times), -EBADMSG);
}

TEST(overlong_files_are_read_as_far_as_needed)
{
    char text[4096];
    int used = snprintf(text, sizeof text, "7 (java)" AFTER_NAME "250 30");
    memset(text + used, ' ', sizeof text - (size_t)used);
    struct threadclock_times times;
    assert_int_equal(tc_proc_parse(text, sizeof text, 100, &times), 0);
    assert_int_equal(times.system_ns, 300000000);
}

TEST(own_times_agree_with_the_clock)
{
    burn_user_ns(60 * NS_PER_MS);
    struct threadclock_times times, by_tid;
    assert_int_equal(threadclock_proc_times(0, &times), 0);
    int64_t total_ns = thread_cpu_ns();
    assert_int_equal(threadclock_proc_times(gettid(), &by_tid), 0);
    assert_true(times.total_ns <= total_ns);
    assert_true(total_ns - times.total_ns < 50 * NS_PER_MS); /* two values truncated to 10 ms, and a tick */
    assert_true(by_tid.total_ns >= times.total_ns);
}

TEST(a_renamed_thread_is_read)
{
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, "a) R 9\n( 9 9 9");
    struct threadclock_times times;
    int error = threadclock_proc_times(0, &times);
    prctl(PR_SET_NAME, name);
    assert_int_equal(error, 0);
    assert_true(times.total_ns <= thread_cpu_ns());
}

static void *own_tid(void *tid)
{
    *(pid_t *)tid = gettid();
    return NULL;
}

TEST(an_ended_thread_is_esrch)
{
    pid_t tid;
    in_new_thread(own_tid, &tid);
    struct threadclock_times times;
    wait_until_released(tid);
    assert_int_equal(threadclock_proc_times(tid, &times), -ESRCH);
    assert_int_equal(threadclock_proc_times(4194304, &times), -ESRCH);
    assert_int_equal(threadclock_proc_times(-1, &times), -EINVAL);
    assert_int_equal(threadclock_proc_times(0, NULL), -EINVAL);
}

static int64_t parse_wait(const char *text, int64_t ran_ns)
{
    return tc_run_queue_parse(text, strlen(text), ran_ns);
}

TEST(the_wait_is_the_second_field)
{
    assert_int_equal(parse_wait("1000 250 3\n", 1000), 250);
    assert_int_equal(parse_wait("1000 0 3\n", 0), 0);
}

TEST(a_thread_that_has_run_less_is_another)
{
    assert_int_equal(parse_wait("999 250 3\n", 1000), -ESRCH);
}

TEST(a_kernel_that_does_not_count_has_no_wait)
{
    assert_int_equal(parse_wait("0 0 0\n", 0), -ENODATA);
}

TEST(anything_but_three_numbers_is_refused)
{
    static const char *const texts[] = {"", "\n", "1 2\n", "1 2 3", "1 2 3 4\n", "1  2 3\n", "-1 2 3\n",
                                        "x 2 3\n", "1 99999999999999999999 3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(parse_wait(texts[i], 0), -EBADMSG);
}

/* The run time in the file is the scheduler's own, which the clock has brought up to date. */
TEST(the_calling_thread_has_a_wait_that_never_decreases)
{
    pid_t tid = tc_own_tid();
    int64_t before = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t waited_ns = tc_run_queue_waited_ns(tid, threadclock_total_now_ns());
        if (waited_ns == -ENODATA || waited_ns == -ENOENT)
            skip();
        assert_true(waited_ns >= before);
        before = waited_ns;
    }
}

TEST(no_such_thread_has_no_wait)
{
    assert_int_equal(tc_run_queue_waited_ns(0, 0), -ESRCH);
    assert_int_equal(tc_run_queue_waited_ns(INT32_MAX, 0), -ESRCH);
}
