/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of schedstat: all forms of the line, a reused TID, and the calling thread. */
#include "support.h"

#include <errno.h>
#include <string.h>

#include "run_queue.h"
#include "threadclock.h"

static int64_t parse(const char *text, int64_t ran_ns)
{
    return tc_run_queue_parse(text, strlen(text), ran_ns);
}

TEST(the_wait_is_the_second_field)
{
    assert_int_equal(parse("1000 250 3\n", 1000), 250);
    assert_int_equal(parse("1000 0 3\n", 0), 0);
}

TEST(a_thread_that_has_run_less_is_another)
{
    assert_int_equal(parse("999 250 3\n", 1000), -ESRCH);
}

TEST(a_kernel_that_does_not_count_has_no_wait)
{
    assert_int_equal(parse("0 0 0\n", 0), -ENODATA);
}

TEST(anything_else_is_refused)
{
    static const char *const texts[] = {"", "\n", "1 2\n", "1 2 3", "1 2 3 4\n", "1  2 3\n", "-1 2 3\n",
                                        "x 2 3\n", "1 99999999999999999999 3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(parse(texts[i], 0), -EBADMSG);
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

TEST(no_such_thread)
{
    assert_int_equal(tc_run_queue_waited_ns(0, 0), -ESRCH);
    assert_int_equal(tc_run_queue_waited_ns(INT32_MAX, 0), -ESRCH);
}
