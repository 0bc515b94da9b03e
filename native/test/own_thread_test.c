/* SPDX-License-Identifier: Apache-2.0 */
/* The calling thread's reads against the kernel's own clock: accurate, as fresh as promised. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A new thread, so that the kernel has no earlier ticks to scale by. */
struct reading {
    void (*load)(void);
    struct threadclock_times now, tick;
    int64_t truth_ns;
    int64_t user_ticks_ns, system_ticks_ns; /* as the kernel counted; one may hit a system call */
};

static void *read_after_load(void *argument)
{
    struct reading *reading = argument;
    reading->load();
    assert_in_any_thread(threadclock_times_tick(&reading->tick) == 0);
    assert_in_any_thread(threadclock_times_now(&reading->now) == 0);
    reading->truth_ns = thread_cpu_ns();
    reading->user_ticks_ns = threadclock_user_raw_ns();
    reading->system_ticks_ns = threadclock_user_system_raw_ns() - reading->user_ticks_ns;
    return NULL;
}

/* Within 5 % + 10 ms of the true value, the accuracy of the kernel's own split. */
static void assert_near(int64_t ns, int64_t truth_ns)
{
    int64_t slack_ns = truth_ns / 20 + 10 * NS_PER_MS;
    assert_in_range(ns + slack_ns, truth_ns, truth_ns + 2 * slack_ns);
}

/* Of the true time, as the kernel divides it. */
static int64_t share_ns(const struct reading *reading, int64_t ticks_ns)
{
    int64_t all_ns = reading->user_ticks_ns + reading->system_ticks_ns;
    return all_ns == 0 ? 0 : (int64_t)((double)reading->truth_ns * (double)ticks_ns / (double)all_ns);
}

static void assert_all_user(void (*load)(void), int64_t at_least_ns)
{
    struct reading reading = {.load = load};
    int attempts = 0;
    do /* with few ticks, one of them in the kernel, the kernel's system share is too large */
        in_new_thread(read_after_load, &reading);
    while (reading.system_ticks_ns > 0 && ++attempts < 10);
    int64_t user_ns = reading.truth_ns; /* an emulator on a busy machine is never without such a tick */
    if (reading.system_ticks_ns > 0)
        user_ns = share_ns(&reading, reading.user_ticks_ns);
    assert_true(reading.truth_ns >= at_least_ns);
    assert_near(reading.now.user_ns, user_ns);
    assert_near(reading.tick.user_ns, user_ns);
    assert_near(reading.now.total_ns, reading.truth_ns);
    assert_true(reading.now.user_ns + reading.now.system_ns <= reading.now.total_ns);
    assert_true(reading.now.total_ns <= reading.truth_ns);
    assert_true(reading.tick.total_ns <= reading.now.total_ns);
}

enum { WORKED_NS = 50 * NS_PER_MS };

/* On a busy machine the thread is late for most of its rounds, and skips them. */
static void until_it_has_worked(void (*burn)(int rounds))
{
    for (int i = 0; i < 20 && thread_cpu_ns() < WORKED_NS; i++)
        burn(250);
}

static void around_ticks(void)
{
    until_it_has_worked(burn_around_ticks);
}

static void between_ticks(void)
{
    until_it_has_worked(burn_between_ticks);
}

static void pure_user(void)
{
    burn_user_ns(300 * NS_PER_MS);
}

static void pure_system(void)
{
    burn_system_ns(600 * NS_PER_MS);
}

TEST(work_around_ticks_is_counted_right)
{
    assert_all_user(around_ticks, WORKED_NS);
}

TEST(work_between_ticks_is_counted_right)
{
    assert_all_user(between_ticks, WORKED_NS);
}

TEST(pure_user_work_is_user)
{
    assert_all_user(pure_user, 300 * NS_PER_MS);
}

/*
 * The kernel knows system time only from ticks: most of the time is system, and exactly as the kernel itself
 * computes it.
 */
TEST(pure_system_work_is_system)
{
    struct reading reading = {.load = pure_system};
    in_new_thread(read_after_load, &reading);
    int64_t system_ns = share_ns(&reading, reading.system_ticks_ns);
    assert_near(reading.now.system_ns, system_ns);
    assert_near(reading.tick.system_ns, system_ns);
    bool few_ticks = reading.user_ticks_ns + reading.system_ticks_ns < reading.truth_ns / 2; /* a busy CPU */
    assert_true(few_ticks || system_ns >= reading.truth_ns * 3 / 4);
}

TEST_IN_NEW_THREAD(now_is_what_the_kernel_says)
{
    for (int i = 0; i < 500; i++) {
        i % 2 ? burn_system_ns(NS_PER_MS) : burn_user_ns(NS_PER_MS);
        struct threadclock_times now, before = times_by_getrusage();
        assert_in_any_thread(threadclock_times_now(&now) == 0);
        struct threadclock_times after = times_by_getrusage();
        assert_in_any_thread(now.user_ns >= before.user_ns && now.user_ns <= after.user_ns);
        assert_in_any_thread(now.system_ns >= before.system_ns && now.system_ns <= after.system_ns);
    }
}

static void *first_reads(void *argument)
{
    int64_t *ns = argument;
    ns[0] = threadclock_user_tick_ns();
    ns[1] = threadclock_total_tick_ns();
    ns[2] = threadclock_total_now_ns();
    return NULL;
}

/* The next thread reuses a thread's stack, and with it the memory of its cell. */
TEST(a_new_thread_starts_at_nothing)
{
    struct reading busy = {.load = pure_user};
    for (int i = 0; i < 3; i++) {
        int64_t ns[3];
        in_new_thread(read_after_load, &busy);
        in_new_thread(first_reads, ns);
        for (int read = 0; read < 3; read++)
            assert_in_range(ns[read], 0, 50 * NS_PER_MS);
    }
}

/* Tick and now in every order, under a load that changes between user and system. */
TEST(now_is_precise)
{
    for (int i = 0; i < 1000; i++) {
        int64_t before = thread_cpu_ns();
        struct threadclock_times times;
        assert_int_equal(threadclock_times_now(&times), 0);
        int64_t total_ns = threadclock_total_now_ns(), after = thread_cpu_ns();
        assert_in_range(total_ns, before, after);
        assert_in_range(times.total_ns, before, after);
        assert_true(times.user_ns + times.system_ns + 2000 >= before); /* the kernel truncates both to 1 us */
    }
}

static void *read_ages(void *argument)
{
    int64_t *ages_ns = argument;
    for (int i = 0; i < 1001; i++) {
        int64_t tick_ns = threadclock_total_tick_ns();
        ages_ns[i] = thread_cpu_ns() - tick_ns; /* the kernel's clock: a now read would refresh the cell */
        burn_user_ns(300000);
    }
    return NULL;
}

/* thread_cpu_ns brings the kernel's run time up to date, so these ages come from the cache alone. */
TEST(tick_is_as_old_as_described)
{
    static int64_t ages_ns[1001];
    struct threadclock_source source;
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, THREADCLOCK_TICK, &source), 0);
    if (source.id != THREADCLOCK_SOURCE_TICK_CACHE)
        skip_because("no tick is cached here");
    in_new_thread(read_ages, ages_ns);
    qsort(ages_ns, 1001, sizeof ages_ns[0], compare_ns);
    assert_true(ages_ns[0] >= 0);                  /* never ahead */
    assert_true(ages_ns[900] <= source.age_ns);    /* the rest may be from a stalled timekeeping CPU */
    assert_true(ages_ns[1000] <= 25 * source.age_ns);
}

TEST(sources_are_described)
{
    struct threadclock_source source;
    for (int quantity = 0; quantity <= THREADCLOCK_TOTAL; quantity++) {
        for (int freshness = 0; freshness <= THREADCLOCK_NOW; freshness++) {
            assert_int_equal(threadclock_describe(quantity, freshness, &source), 0);
            assert_int_not_equal(source.id, THREADCLOCK_SOURCE_NONE);
            assert_true(source.resolution_ns > 0);
            assert_true(source.age_ns >= 0);
            assert_non_null(source.name);
            assert_int_equal(source.system_calls == 0, source.id == THREADCLOCK_SOURCE_TICK_CACHE);
        }
    }
    assert_int_equal(source.id, THREADCLOCK_SOURCE_SCHED);
    assert_int_equal(threadclock_describe(3, THREADCLOCK_TICK, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED, &source), 0);
    assert_int_equal(source.system_calls == 0, source.id == THREADCLOCK_SOURCE_INTERPOLATED);
    assert_true(source.resolution_ns > 0 && source.age_ns == 0 && source.name != NULL);
    assert_int_equal(threadclock_describe(THREADCLOCK_USER, THREADCLOCK_INTERPOLATED, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_SYSTEM, THREADCLOCK_INTERPOLATED, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, 3, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_USER, THREADCLOCK_TICK, NULL), -EINVAL);
    assert_int_equal(threadclock_times_tick(NULL), -EINVAL);
    assert_int_equal(threadclock_times_now(NULL), -EINVAL);
    assert_string_equal(threadclock_version(), THREADCLOCK_VERSION);
    int major, minor, patch;
    assert_int_equal(sscanf(THREADCLOCK_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(THREADCLOCK_VERSION_NUMBER, 10000 * major + 100 * minor + patch);
}
