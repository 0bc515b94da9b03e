/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of virtual threads: their names, and their sums, which include all of their threads' time and never
 * decrease.
 */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "virtual_threads.h"

static struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];

/* The group as it is now; zeroes if it has never had a thread. */
static struct tc_virtual_group now(const char *name)
{
    struct tc_virtual_group none = {.name = NULL};
    uint32_t count = tc_virtual_groups(groups);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return groups[i];
    return none;
}

static void assert_group(const char *name, const char *expected)
{
    uint32_t group = tc_group_of(name);
    tc_virtual account = tc_virtual_begin(1, group, true, tc_virtual_allow(THREADCLOCK_NOW));
    assert_non_null(now(expected).name);
    tc_virtual_end(account);
}

TEST(names_differ_in_numbers_only)
{
    assert_group("http-nio-8080-exec-7", "http-nio-*-exec-*");
    assert_group("7", "*");
    assert_group("G1 Main 12", "G1 Main *");
    assert_group("x-C2 worker 3", "x-C2 worker *");
    assert_group("XG1 a", "XG* a");
    assert_group("G1", "G*");
    assert_group("G12 a", "G* a");
    assert_group("a1b22c", "a*b*c");
    assert_group("session-550e8400-e29b-41d4-a716-446655440000-io", "session-*-io");
    assert_group("abcdefab-cdef-abcd-efab-cdefabcdefab", "*");
    assert_group("550e8400-e29b-41d4-a716-44665544000z", "*-e*b-*d*-a*-*z");
    assert_group("Actor@5e91993f/2", "Actor@*/*");
    assert_group("facade1 decades defaced", "* decades defaced");
    assert_group("facad1", "facad*");
    assert_group("x5e91993f \xc3\xa9" "5e91993f", "x*e*f \xc3\xa9*e*f");
    assert_group("pool-1-thread-3", "pool-1-thread-*");
    assert_group("pool-22-thread-3", "pool-22-thread-*");
    assert_group("my-pool-1-thread-3", "my-pool-*-thread-*");
    assert_group("pool-1-threads", "pool-*-threads");
    assert_group("ForkJoinPool-1-worker-3", "ForkJoinPool-1-worker-*");
    assert_group("ForkJoinPool.commonPool-worker-3", "ForkJoinPool.commonPool-worker-*");
    assert_group("", "");
    assert_int_equal(tc_group_of("worker-1"), tc_group_of("worker-222"));
    assert_int_not_equal(tc_group_of("worker-1"), tc_group_of("workers-1"));
    tc_virtual_forbid();
}

/* Truncated at a character of UTF-8. Here each has two bytes, after one with one byte. */
TEST(long_names_are_truncated)
{
    char name[2 * TC_GROUP_NAME_BYTES] = "", expected[TC_GROUP_NAME_BYTES];
    while (strlen(name) < sizeof name - 3)
        strcat(name, "\xc3\xa9");
    memcpy(expected, name, sizeof expected);
    expected[TC_GROUP_NAME_BYTES - 2] = '\0'; /* 127 whole characters */
    assert_group(name, expected);
    memset(name, 'x', sizeof name - 1);
    memset(expected, 'x', sizeof expected - 1);
    expected[sizeof expected - 1] = name[sizeof name - 1] = '\0';
    assert_group(name, expected);
    tc_virtual_forbid();
}

static void work(tc_virtual account, int64_t ns)
{
    tc_virtual_mount(account);
    burn_user_ns(ns);
    tc_virtual_unmount();
}

TEST(ended_threads_stay_counted)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW), group = tc_group_of("ending-1");
    int64_t before_ns = thread_cpu_ns();
    for (uint64_t id = 1; id <= 20; id++) {
        tc_virtual account = tc_virtual_begin(id, group, true, epoch);
        work(account, NS_PER_MS);
        if (id % 2 == 0) /* counted in part before its end */
            assert_int_equal(now("ending-*").threads, 1);
        work(account, NS_PER_MS);
        tc_virtual_end(account);
    }
    struct tc_virtual_group all = now("ending-*");
    assert_int_equal(all.threads, 0);
    assert_int_equal(all.mounted, 0);
    assert_true(all.times.total_ns >= 40 * (int64_t)NS_PER_MS * 99 / 100);
    assert_true(all.times.total_ns <= thread_cpu_ns() - before_ns);
    tc_virtual_forbid();
    assert_int_equal(now("ending-*").times.total_ns, all.times.total_ns);
}

/* A slice that goes on is in the sum, and only once. */
TEST(a_mounted_thread_is_counted_as_it_runs)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW), group = tc_group_of("running-1");
    tc_virtual account = tc_virtual_begin(1, group, true, epoch);
    tc_virtual other = tc_virtual_begin(2, group, true, epoch);
    int64_t before_ns = thread_cpu_ns(), last_ns = 0;
    tc_virtual_mount(account);
    for (int round = 1; round <= 20; round++) {
        burn_user_ns(5 * NS_PER_MS);
        struct tc_virtual_group running = now("running-*");
        assert_int_equal(running.threads, 2);
        assert_int_equal(running.mounted, 1);
        assert_true(running.times.total_ns >= last_ns + 5 * (int64_t)NS_PER_MS * 9 / 10);
        assert_true(running.times.total_ns <= thread_cpu_ns() - before_ns);
        assert_int_equal(running.times.user_ns + running.times.system_ns, running.times.total_ns);
        last_ns = running.times.total_ns;
    }
    tc_virtual_unmount();
    tc_virtual_end(account);
    tc_virtual_end(other);
    struct tc_virtual_group all = now("running-*");
    assert_true(all.times.total_ns >= last_ns);
    assert_true(all.times.total_ns <= thread_cpu_ns() - before_ns);
    tc_virtual_forbid();
}

/* It is not divided as its carrier's time before. */
TEST(a_long_slice_is_divided_as_it_runs)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW), group = tc_group_of("long-1");
    tc_virtual account = tc_virtual_begin(1, group, true, epoch);
    burn_system_ns(200 * NS_PER_MS);
    threadclock_user_now_ns();
    tc_virtual_mount(account);
    burn_user_ns(400 * NS_PER_MS);
    struct tc_virtual_group running = now("long-*");
    assert_true(running.times.user_ns > running.times.total_ns / 2);
    tc_virtual_unmount();
    tc_virtual_forbid();
}

/* An estimate was more than the slice turned out to be: the sum stays until the account has passed it. */
TEST(an_estimate_that_was_too_high_is_not_taken_back)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW), group = tc_group_of("estimated-1");
    tc_virtual account = tc_virtual_begin(1, group, true, epoch);
    tc_account_count(account, &(struct threadclock_times){30 * NS_PER_MS, 0, 30 * NS_PER_MS});
    work(account, NS_PER_MS);
    assert_int_equal(now("estimated-*").times.total_ns, 30 * NS_PER_MS);
    tc_account_count(account, &(struct threadclock_times){10 * NS_PER_MS, 21 * NS_PER_MS, 31 * NS_PER_MS});
    struct tc_virtual_group all = now("estimated-*");
    assert_int_equal(all.times.total_ns, 31 * NS_PER_MS);
    assert_int_equal(all.times.user_ns, 30 * NS_PER_MS);
    tc_virtual_end(account);
    assert_int_equal(now("estimated-*").times.total_ns, 31 * NS_PER_MS);
    tc_account_count(account, &(struct threadclock_times){90 * NS_PER_MS, 0, 90 * NS_PER_MS}); /* ended */
    assert_int_equal(now("estimated-*").times.total_ns, 31 * NS_PER_MS);
    tc_virtual_forbid();
}

/*
 * Carriers run threads that begin and end, accounting goes on and off, and several threads read all groups.
 */
enum { CARRIERS = 3, WALKERS = 2 };
static _Atomic bool done;
static _Atomic int64_t carriers_ns;
static _Atomic uint64_t ids;

static void *carry(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!done) {
        char name[32];
        snprintf(name, sizeof name, "%s-%u", seed % 2 == 0 ? "odd" : "even", seed);
        tc_virtual account = tc_virtual_begin(++ids, tc_group_of(name), true, tc_virtual_epoch());
        for (int slices = rand_r(&seed) % 20; slices > 0; slices--)
            work(account, rand_r(&seed) % 200000);
        tc_virtual_end(account);
    }
    carriers_ns += thread_cpu_ns();
    return NULL;
}

static void *walk(void *unused)
{
    struct tc_virtual_group *read = calloc(TC_VIRTUAL_GROUPS, sizeof *read);
    struct threadclock_times last[TC_VIRTUAL_GROUPS] = {{0, 0, 0}};
    while (!done) {
        uint32_t count = tc_virtual_groups(read);
        for (uint32_t i = 0; i < count; i++) {
            struct threadclock_times *before = &last[tc_group_of(read[i].name)];
            assert_in_any_thread(read[i].mounted <= read[i].threads);
            assert_in_any_thread(read[i].times.user_ns >= before->user_ns);
            assert_in_any_thread(read[i].times.system_ns >= before->system_ns);
            assert_in_any_thread(read[i].times.user_ns + read[i].times.system_ns == read[i].times.total_ns);
            *before = read[i].times;
        }
    }
    free(read);
    return NULL;
}

static int64_t sum_ns(void)
{
    int64_t sum = 0;
    uint32_t count = tc_virtual_groups(groups);
    for (uint32_t i = 0; i < count; i++)
        sum += groups[i].times.total_ns;
    return sum;
}

TEST(sums_never_decrease_or_exceed_the_carriers)
{
    pthread_t threads[CARRIERS + WALKERS];
    int64_t before_ns = sum_ns();
    tc_virtual_allow(THREADCLOCK_NOW);
    for (int i = 0; i < CARRIERS + WALKERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < CARRIERS ? carry : walk, (void *)(uintptr_t)(i + 1)), 0);
    int64_t rounds = setting("THREADCLOCK_VIRTUAL_MS", 1500) / 10;
    for (int64_t i = 0; i < rounds; i++) {
        usleep(10000);
        if (i % 10 == 9) {
            tc_virtual_forbid();
            tc_virtual_allow(THREADCLOCK_NOW);
        }
    }
    done = true;
    for (int i = 0; i < CARRIERS + WALKERS; i++)
        pthread_join(threads[i], NULL);
    tc_virtual_forbid();
    assert_true(sum_ns() > before_ns);
    assert_true(sum_ns() - before_ns <= carriers_ns);
}

/* Last, because groups stay. */
TEST(all_names_after_the_last_group_share_one)
{
    char name[] = "a";
    uint32_t group = 1, known = tc_group_of("worker-1");
    for (int i = 0; i < 2 * TC_VIRTUAL_GROUPS; i++) {
        name[0] = (char)('!' + i % 90);
        char many[40];
        snprintf(many, sizeof many, "%s%*c", name, i / 90 + 1, 'x');
        group = tc_group_of(many);
        assert_true(group < TC_VIRTUAL_GROUPS);
    }
    assert_int_equal(group, 0);
    assert_int_equal(tc_group_of("worker-9"), known);
    assert_group("one too many", "(other virtual threads)");
    tc_virtual_forbid();
}
