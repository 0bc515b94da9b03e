/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away each source in turn, in a child: the next answers, failures are reported, no value is wrong. */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp.h"

static enum threadclock_source_id source_of(enum threadclock_quantity quantity,
                                            enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    return threadclock_describe(quantity, freshness, &source) == 0 ? source.id : THREADCLOCK_SOURCE_NONE;
}

static bool is_ordered(void)
{
    struct threadclock_times tick, now;
    burn_user_ns(40 * NS_PER_MS);
    return threadclock_times_tick(&tick) == 0 && threadclock_times_now(&now) == 0
           && tick.user_ns <= now.user_ns && tick.total_ns <= now.total_ns
           && now.user_ns + now.system_ns <= now.total_ns && now.total_ns >= 0;
}

static bool proc_answers_without_getrusage(void *unused)
{
    static const long denied[] = {SYS_getrusage};
    int64_t before_ns = threadclock_user_tick_ns();
    burn_user_ns(40 * NS_PER_MS);
    return deny_system_calls(denied, 1, EPERM) == 0
           && source_of(THREADCLOCK_USER, THREADCLOCK_NOW) == THREADCLOCK_SOURCE_PROC
           && source_of(THREADCLOCK_TOTAL, THREADCLOCK_NOW) == THREADCLOCK_SOURCE_SCHED
           && threadclock_user_now_ns() >= before_ns + 20 * NS_PER_MS && is_ordered();
}

static bool nothing_left_is_an_error(void *unused)
{
    static const long denied[] = {SYS_getrusage, SYS_openat, SYS_clock_gettime};
    if (deny_system_calls(denied, 3, EPERM) != 0
        || source_of(THREADCLOCK_USER, THREADCLOCK_TICK) != THREADCLOCK_SOURCE_NONE)
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
           && threadclock_user_raw_ns() == -EPERM;
}

static bool the_sum_stands_in_for_the_precise_clock(void *unused)
{
    static const long denied[] = {SYS_clock_gettime};
    int64_t before_ns = threadclock_total_now_ns();
    burn_user_ns(40 * NS_PER_MS);
    return deny_system_calls(denied, 1, ENOSYS) == 0
           && source_of(THREADCLOCK_TOTAL, THREADCLOCK_NOW) == THREADCLOCK_SOURCE_RUSAGE
           && threadclock_total_now_ns() >= before_ns + 20 * NS_PER_MS;
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
static bool nothing_is_cached_without_wipe_on_fork(void *unused)
{
    return deny_wipe_on_fork() == 0 && asks_each_time_in_each_process();
}

/* An emulator that accepts any advice, and ignores it. */
static bool nothing_is_cached_where_wiping_is_pretended(void *unused)
{
    static const long pretended[] = {SYS_madvise};
    return deny_system_calls(pretended, 1, 0) == 0 && asks_each_time_in_each_process();
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

static bool each_namespace_has_its_own_1(void *unused)
{
    return deny_wipe_on_fork() == 0 && unshare(CLONE_NEWPID) == 0
           && true_in_child(fork, has_a_child_that_is_1_as_well, unused);
}

/* Those without wiping on fork come first: before the parent's first read. */
static const struct fallback {
    const char *name;
    bool (*check)(void *);
} fallbacks[] = {
    {"wipe_on_fork_denied", nothing_is_cached_without_wipe_on_fork},
    {"wipe_on_fork_pretended", nothing_is_cached_where_wiping_is_pretended},
    {"wipe_on_fork_denied_in_nested_namespaces", each_namespace_has_its_own_1},
    {"getrusage_denied", proc_answers_without_getrusage},
    {"precise_clock_denied", the_sum_stands_in_for_the_precise_clock},
    {"everything_denied", nothing_left_is_an_error},
};

static void it_holds_in_a_child(void **state)
{
    const struct fallback *fallback = *state;
    if (fallback->check == each_namespace_has_its_own_1 && !pid_namespaces_can_be_made())
        skip_because("PID namespaces cannot be made here");
    assert_true(true_in_child(fork, fallback->check, NULL));
}

int main(void)
{
    if (!filters_can_be_installed()) {
        puts("SKIP: " NO_FILTERS);
        return 77;
    }
    enum { FALLBACKS = sizeof fallbacks / sizeof fallbacks[0] };
    struct CMUnitTest tests[FALLBACKS];
    for (int i = 0; i < FALLBACKS; i++)
        tests[i] = (struct CMUnitTest){fallbacks[i].name, it_holds_in_a_child, NULL, NULL,
                                       (void *)&fallbacks[i]};
    return cmocka_run_group_tests_name("fallback", tests, NULL, NULL);
}
