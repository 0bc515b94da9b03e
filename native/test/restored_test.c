/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that was frozen and restored: the kernel's clocks of its threads restart below what was read
 * before. Simulated by slots that are an hour ahead. Values must restart instead of standing still for that
 * hour.
 */
#include "sleeper.h"

#include "entries.h"

enum { WITHIN_NS = 15 * NS_PER_MS };
static const uint64_t hour_ns = 3600 * (uint64_t)NS_PER_S;

static void live_an_hour(threadclock_thread thread)
{
    struct entry *entry = tc_entry_hold(thread);
    assert_in_any_thread(entry != NULL);
    tc_slot_merge(&entry->slot, hour_ns, hour_ns);
    tc_entry_release(entry, 0, 0);
}

static int64_t total_of(int error, const struct threadclock_times *times)
{
    assert_in_any_thread(error == 0 && times->user_ns + times->system_ns <= times->total_ns);
    return times->total_ns;
}

static int64_t by_times_tick(void)
{
    struct threadclock_times times;
    return total_of(threadclock_times_tick(&times), &times);
}

static int64_t by_times_now(void)
{
    struct threadclock_times times;
    return total_of(threadclock_times_now(&times), &times);
}

static threadclock_thread self;

static int64_t by_handle(void)
{
    struct threadclock_times times;
    return total_of(threadclock_thread_times(self, &times), &times);
}

static int64_t by_handle_total(void)
{
    return threadclock_thread_total_ns(self);
}

static int64_t by_tid(void)
{
    struct threadclock_times times;
    return total_of(threadclock_tid_times(gettid(), &times), &times);
}

static int64_t by_pass(void)
{
    return row_of(gettid(), all_rows())->times.total_ns;
}

static int64_t (*const reads[])(void) = {
    threadclock_user_tick_ns, threadclock_system_tick_ns, threadclock_total_tick_ns, by_times_tick,
    threadclock_user_now_ns, threadclock_system_now_ns, threadclock_total_now_ns, by_times_now,
    threadclock_total_interpolated_ns, by_handle, by_handle_total, by_tid, by_pass,
};

enum { READS = sizeof reads / sizeof reads[0] };

TEST_IN_NEW_THREAD(each_read_begins_anew)
{
    assert_in_any_thread(threadclock_thread_register(&self) == 0);
    for (int i = 0; i < READS; i++) {
        spin_past_a_tick(8 * NS_PER_MS); /* no value cached before a restore stays valid */
        live_an_hour(self);
        spin_past_a_tick(8 * NS_PER_MS);
        assert_in_any_thread(reads[i]() <= thread_cpu_ns() + WITHIN_NS);
        for (int j = 0; j < READS; j++)
            assert_in_any_thread(reads[j]() <= thread_cpu_ns() + WITHIN_NS);
        int64_t before_ns[READS];
        for (int j = 0; j < READS; j++)
            before_ns[j] = reads[j]();
        burn_user_ns(2 * NS_PER_MS);
        for (int j = 0; j < READS; j++)
            assert_in_any_thread(reads[j]() >= before_ns[j]);
    }
    live_an_hour(self);
    assert_in_any_thread(threadclock_thread_unregister() == 0); /* the thread keeps the hour */
    spin_past_a_tick(8 * NS_PER_MS);
    assert_in_any_thread(threadclock_user_tick_ns() <= thread_cpu_ns()
                         && by_tid() <= thread_cpu_ns() + WITHIN_NS);
}

/* Several threads notice at once: the account restarts once. */
static _Atomic bool stop;

static void *read_all_the_time(void *unused)
{
    while (!stop)
        assert_in_any_thread(by_handle() <= (int64_t)(2 * hour_ns) + NS_PER_S);
    return unused;
}

TEST_IN_NEW_THREAD(several_find_out_at_once)
{
    pthread_t readers[3];
    assert_in_any_thread(threadclock_thread_register(&self) == 0);
    for (int i = 0; i < 3; i++)
        assert_in_any_thread(pthread_create(&readers[i], NULL, read_all_the_time, NULL) == 0);
    for (int round = 0; round < 30; round++) {
        live_an_hour(self);
        spin_past_a_tick(10 * NS_PER_MS);
        int64_t last_ns = 0;
        for (int i = 0; i < 1000; i++) {
            int64_t ns = threadclock_total_now_ns();
            assert_in_any_thread(ns >= last_ns && ns <= thread_cpu_ns() + WITHIN_NS);
            last_ns = ns;
        }
    }
    stop = true;
    for (int i = 0; i < 3; i++)
        assert_in_any_thread(pthread_join(readers[i], NULL) == 0);
    assert_in_any_thread(threadclock_thread_unregister() == 0);
}
