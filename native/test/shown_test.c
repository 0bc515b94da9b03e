/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread's slot has shown so far: nothing at first, then what was read. A look does not refresh it. */
#include "support.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "own_thread.h"
#include "threads.h"

static bool same(const struct threadclock_times *a, const struct threadclock_times *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool is_nothing(const struct threadclock_times *times)
{
    return times->user_ns == 0 && times->system_ns == 0 && times->total_ns == 0;
}

TEST_IN_NEW_THREAD(the_calling_thread_has_shown_what_it_read)
{
    struct threadclock_times seen, now;
    burn_user_ns(20 * NS_PER_MS);
    tc_own_seen(&seen);
    assert_in_any_thread(is_nothing(&seen));
    assert_in_any_thread(threadclock_times_now(&now) == 0 && now.total_ns >= 20 * NS_PER_MS);
    burn_user_ns(20 * NS_PER_MS);
    tc_own_seen(&seen);
    assert_in_any_thread(same(&seen, &now));
}

static bool own_is_nothing(void *unused)
{
    struct threadclock_times seen;
    tc_own_seen(&seen);
    return is_nothing(&seen);
}

TEST(a_forked_child_has_shown_nothing)
{
    struct threadclock_times now;
    assert_int_equal(threadclock_times_now(&now), 0);
    assert_true(true_in_child(fork, own_is_nothing, NULL));
    assert_true(true_in_child(raw_fork, own_is_nothing, NULL));
}

TEST_IN_NEW_THREAD(a_registration_has_shown_what_any_reader_read)
{
    threadclock_thread thread;
    struct threadclock_times seen, times;
    assert_in_any_thread(tc_java_thread_register(4711, 0, &thread) == 0);
    assert_in_any_thread(tc_threads_seen(4711, &seen) == 0 && is_nothing(&seen));
    burn_user_ns(20 * NS_PER_MS);
    assert_in_any_thread(threadclock_thread_times(thread, &times) == 0);
    burn_user_ns(20 * NS_PER_MS);
    assert_in_any_thread(tc_threads_seen(4711, &seen) == 0 && same(&seen, &times));
    tc_own_seen(&seen); /* one account for all readers */
    assert_in_any_thread(same(&seen, &times));
    tc_threads_end(4711);
    assert_in_any_thread(tc_threads_seen(4711, &seen) == -ESRCH);
}
