/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ids: encoding and decoding them, and whether the kernel reads them as we do. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "clock_id.h"

static clockid_t encoded(pid_t id, enum threadclock_scope scope, enum threadclock_clock clock)
{
    struct threadclock_clockid_parts parts = {id, scope, clock};
    clockid_t clock_id = 0;
    assert_int_equal(threadclock_clockid_encode(&parts, &clock_id), 0);
    return clock_id;
}

TEST(ids_are_encoded_as_glibc_does)
{
    clockid_t thread, process;
    assert_int_equal(pthread_getcpuclockid(pthread_self(), &thread), 0);
    assert_int_equal(clock_getcpuclockid(getpid(), &process), 0);
    assert_int_equal(encoded(gettid(), THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED), thread);
    assert_int_equal(encoded(getpid(), THREADCLOCK_SCOPE_PROCESS, THREADCLOCK_CLOCK_SCHED), process);
}

TEST(id_0_is_the_caller)
{
    assert_int_equal(encoded(0, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_PROF), TC_CLOCK_OWN_PROF);
    assert_int_equal(encoded(0, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_VIRT), TC_CLOCK_OWN_VIRT);
    assert_int_equal(encoded(0, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED), TC_CLOCK_OWN_SCHED);
    int64_t before = thread_cpu_ns(), read = threadclock_clock_ns(TC_CLOCK_OWN_SCHED),
            after = thread_cpu_ns();
    assert_in_range(read, before, after);
}

TEST(decoding_reverses_encoding)
{
    static const pid_t ids[] = {0, 1, 2, 4242, 32767, 4194304, (1 << 28) - 1};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        for (int scope = 0; scope <= 1; scope++) {
            for (int clock = 0; clock <= 2; clock++) {
                struct threadclock_clockid_parts parts;
                assert_int_equal(threadclock_clockid_decode(encoded(ids[i], scope, clock), &parts), 0);
                assert_int_equal(parts.id, ids[i]);
                assert_int_equal(parts.scope, scope);
                assert_int_equal(parts.clock, clock);
            }
        }
    }
}

TEST(ids_of_other_clocks_are_refused)
{
    struct threadclock_clockid_parts parts;
    static const clockid_t others[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID,
                                       -45 /* ~5 << 3 | 3: the clock of file descriptor 5 */};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(threadclock_clockid_decode(others[i], &parts), -EINVAL);
    assert_int_equal(threadclock_clockid_decode(TC_CLOCK_OWN_VIRT, NULL), -EINVAL);

    static const struct threadclock_clockid_parts wrong[] = {
        {-1, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED},
        {1 << 28, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED},
        {1, (enum threadclock_scope)2, THREADCLOCK_CLOCK_SCHED},
        {1, THREADCLOCK_SCOPE_THREAD, (enum threadclock_clock)3},
    };
    clockid_t clock_id = 77;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(threadclock_clockid_encode(&wrong[i], &clock_id), -EINVAL);
    assert_int_equal(threadclock_clockid_encode(NULL, &clock_id), -EINVAL);
    assert_int_equal(threadclock_clockid_encode(&parts, NULL), -EINVAL);
    assert_int_equal(clock_id, 77);
}

TEST(no_such_thread_is_einval)
{
    assert_int_equal(threadclock_clock_ns(encoded(4194304, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_VIRT)),
                     -EINVAL);
}

static void *raw_of_tick_hitter(void *raw_ns)
{
    burn_around_ticks(100);
    *(int64_t *)raw_ns = threadclock_user_raw_ns();
    ((int64_t *)raw_ns)[1] = threadclock_user_system_raw_ns();
    ((int64_t *)raw_ns)[2] = thread_cpu_ns();
    return NULL;
}

/* Why the raw clock is called raw: it shows more user time than the thread had CPU time. */
TEST(raw_counts_whole_ticks)
{
    int64_t raw_ns[3], tick_ns = threadclock_tick_length_ns();
    assert_in_range(tick_ns, NS_PER_MS - 1, 10 * NS_PER_MS + 1);
    int attempts = 0;
    do /* on a busy machine the thread may miss its ticks */
        in_new_thread(raw_of_tick_hitter, raw_ns);
    while (raw_ns[0] <= raw_ns[2] && ++attempts < 10);
    assert_true(raw_ns[1] >= raw_ns[0]);
    if (raw_ns[0] % tick_ns != 0 && raw_ns[0] <= raw_ns[2] && raw_ns[0] > raw_ns[2] / 2)
        skip(); /* not tick accounting: the raw clock is precise here */
    assert_true(raw_ns[0] > raw_ns[2]);
}
