/* SPDX-License-Identifier: Apache-2.0 */
/* The rule by which a thread's slot merges samples: no value decreases, and user + system <= total. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>

#include "slot.h"

static void assert_slot(const struct tc_slot *slot, uint64_t user_ns, uint64_t system_ns, uint64_t total_ns)
{
    struct tc_pair pair = tc_slot_pair(slot);
    assert_int_equal(pair.user_ns, user_ns);
    assert_int_equal(pair.sum_ns - pair.user_ns, system_ns);
    assert_int_equal(TC_LOAD(slot->total_ns), total_ns);
}

TEST(a_newer_sample_is_taken_whole)
{
    struct tc_slot slot = {0};
    tc_slot_merge(&slot, 30, 10);
    assert_slot(&slot, 30, 10, 40);
    tc_slot_merge(&slot, 60, 40);
    assert_slot(&slot, 60, 40, 100);
}

TEST(an_older_sample_changes_nothing)
{
    struct tc_slot slot = {0};
    tc_slot_merge(&slot, 60, 40);
    tc_slot_merge(&slot, 30, 10);
    tc_slot_merge(&slot, 100, 0);
    assert_slot(&slot, 60, 40, 100);
}

TEST(neither_part_decreases_or_grows_by_more_than_the_step)
{
    struct tc_slot slot = {0};
    tc_slot_merge(&slot, 60, 40);
    tc_slot_merge(&slot, 50, 60); /* another source has less user time */
    assert_slot(&slot, 60, 50, 110);
    tc_slot_merge(&slot, 120, 0); /* and another less system time */
    assert_slot(&slot, 70, 50, 120);
}

TEST(total_is_a_separate_maximum)
{
    struct tc_slot slot = {0};
    tc_slot_raise_total(&slot, 500);
    tc_slot_raise_total(&slot, 400);
    tc_slot_merge(&slot, 60, 40);
    assert_slot(&slot, 60, 40, 500);
}

/* As a reader finds it that read the pair before a restart, and the total after it. */
TEST(total_is_not_below_a_pair_from_before_a_restart)
{
    struct threadclock_times times;
    tc_slot_times(&(struct tc_slot){.sum_ns = 100, .user_ns = 60, .total_ns = 5}, &times);
    assert_true(times.user_ns == 60 && times.system_ns == 40 && times.total_ns == 100);
}

static void *merge_random_samples(void *argument)
{
    struct tc_slot *slot = argument;
    unsigned seed = (unsigned)(uintptr_t)&slot;
    struct tc_pair last = {0, 0};
    uint64_t last_total = 0;
    for (int i = 0; i < 2000000; i++) {
        uint64_t sum = (uint64_t)i * 100 + (uint64_t)(rand_r(&seed) % 200),
                 user = sum * (uint64_t)(rand_r(&seed) % 101) / 100;
        tc_slot_merge(slot, user, sum - user);
        struct tc_pair pair = tc_slot_pair(slot);
        uint64_t total = TC_LOAD(slot->total_ns);
        if (pair.sum_ns < sum || pair.user_ns > pair.sum_ns || pair.user_ns < last.user_ns
            || total < pair.sum_ns || total < last_total
            || pair.sum_ns - pair.user_ns < last.sum_ns - last.user_ns)
            return (void *)"went back";
        last = pair;
        last_total = total;
    }
    return NULL;
}

TEST(many_writers_keep_the_rule)
{
    static struct tc_slot slot;
    enum { WRITERS = 4 };
    pthread_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, merge_random_samples, &slot), 0);
    for (int i = 0; i < WRITERS; i++) {
        void *problem;
        assert_int_equal(pthread_join(writers[i], &problem), 0);
        assert_null(problem);
    }
}
