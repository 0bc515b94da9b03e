/* SPDX-License-Identifier: Apache-2.0 */
/* Reads other threads' SCHED, VIRT and PROF clocks, by handle or TID, and merges them into their slots. */
#include <errno.h>
#include <stddef.h>

#include "clock_id.h"
#include "entries.h"
#include "moment.h"
#include "threads.h"
#include "tick.h"

/*
 * The user share of a thread's run time according to its tick counters, and part of its run time. As in
 * cputime_adjust (kernel/sched/cputime.c), no system ticks means all user, and no user ticks all system. It
 * shares a word with the tick, so the greatest value means all.
 */
static uint32_t user_share(uint64_t virt_ns, uint64_t prof_ns)
{
    uint64_t share = tc_share_of(virt_ns, prof_ns);
    return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

static uint64_t user_part(uint64_t sched_ns, uint32_t share)
{
    return tc_scaled(sched_ns, share == UINT32_MAX ? TC_WHOLE_SHARE : share);
}

/* The counters change only at ticks: within a tick the share read last is valid. 0, or a negative errno. */
static int read_share(pid_t tid, uint64_t *share_at_tick, uint32_t *share)
{
    uint64_t key = tc_tick_key(), tick = key * UINT64_C(0x9e3779b97f4a7c15) >> 32,
             known = TC_LOAD(*share_at_tick);
    if (known >> 32 == tick && known != 0 && key != TC_KEY_NEVER) {
        *share = (uint32_t)known;
        return 0;
    }
    int64_t virt_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_VIRT);
    int64_t prof_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_PROF);
    int error = (int)(virt_ns < 0 ? virt_ns : prof_ns < 0 ? prof_ns : 0);
    if (error == -EINVAL && tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED) >= 0)
        return -EOPNOTSUPP; /* the thread is alive, but has no such clock */
    if (error != 0)
        return error;
    *share = user_share((uint64_t)virt_ns, (uint64_t)prof_ns);
    TC_STORE(*share_at_tick, tick << 32 | *share);
    return 0;
}

/* What the clocks show that the slot does not have yet. */
struct news {
    uint64_t total_before_ns; /* the slot's, before the clocks were read */
    int64_t sched_ns;         /* negative: unchanged */
    uint32_t share;
};

/*
 * SCHED first: if it has not advanced, neither has the slot, and no other clock is read. 0, -ESRCH, or
 * another negative errno.
 */
static int read_clocks(pid_t tid, const struct tc_slot *slot, uint64_t *share_at_tick, struct news *news)
{
    uint64_t sum_ns = tc_slot_sum(slot);
    news->total_before_ns = TC_LOAD(slot->total_ns);
    news->sched_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED);
    int error = news->sched_ns < 0 ? (int)news->sched_ns : 0;
    if (error == 0 && (uint64_t)news->sched_ns <= sum_ns
        && !tc_is_restored(news->total_before_ns, (uint64_t)news->sched_ns))
        news->sched_ns = -1;
    else if (error == 0)
        error = read_share(tid, share_at_tick, &news->share);
    return error == -EINVAL ? -ESRCH : error;
}

static void take_in(struct tc_slot *slot, const struct news *news)
{
    if (news->sched_ns < 0)
        return;
    uint64_t sched_ns = (uint64_t)news->sched_ns, user_ns = user_part(sched_ns, news->share);
    tc_slot_restart_if_restored(slot, news->total_before_ns, sched_ns);
    tc_slot_merge(slot, user_ns, sched_ns - user_ns);
}

int tc_thread_read(pid_t tid, struct tc_slot *slot, uint64_t *share_at_tick)
{
    struct news news;
    int error = read_clocks(tid, slot, share_at_tick, &news);
    if (error == 0)
        take_in(slot, &news);
    return error;
}

/*
 * The entry is not reused while it is held. If the registration is still active after the last clock was
 * read, the TID was the thread's throughout.
 */
static int read_entry(struct entry *entry, uint32_t generation)
{
    struct news news;
    int error = read_clocks(TC_LOAD(entry->tid), &entry->slot, &entry->share_at_tick, &news);
    if (!tc_entry_stands(entry, generation))
        return -ESRCH;
    if (error == 0)
        take_in(&entry->slot, &news);
    return error;
}

/* Reads a held entry and releases it. */
static int times_of_held(struct entry *entry, uint32_t generation, struct threadclock_times *times)
{
    int error = read_entry(entry, generation);
    if (error == 0)
        tc_slot_times(&entry->slot, times);
    return tc_entry_release(entry, generation, error);
}

int threadclock_thread_times(threadclock_thread thread, struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct entry *entry = tc_entry_hold(thread);
    return entry != NULL ? times_of_held(entry, tc_generation_of(thread), times) : -ESRCH;
}

int tc_threads_times_of(uint64_t id, struct threadclock_times *times)
{
    struct entry *entry;
    uint32_t generation;
    int error = tc_entry_hold_id(id, &entry, &generation);
    return error == 0 ? times_of_held(entry, generation, times) : error;
}

int tc_thread_read_registered(threadclock_thread thread, struct tc_slot *slot)
{
    struct entry *entry = tc_entry_hold(thread);
    if (entry == NULL)
        return -ESRCH;
    tc_slot_take_over(&entry->slot, slot);
    uint64_t total_before_ns = TC_LOAD(slot->total_ns);
    int error = read_entry(entry, tc_generation_of(thread));
    if (error == 0) {
        tc_slot_restart_if_restored(slot, total_before_ns, TC_LOAD(entry->slot.total_ns));
        tc_slot_take_over(slot, &entry->slot);
    }
    return tc_entry_release(entry, tc_generation_of(thread), error);
}

static int64_t total_of_held(struct entry *entry, uint32_t generation)
{
    uint64_t total_before_ns = TC_LOAD(entry->slot.total_ns);
    int64_t total_ns = tc_thread_clock_ns(TC_LOAD(entry->tid), THREADCLOCK_CLOCK_SCHED);
    int error = total_ns >= 0 ? 0 : total_ns == -EINVAL ? -ESRCH : (int)total_ns;
    if (error == 0 && tc_entry_stands(entry, generation)) {
        tc_slot_restart_if_restored(&entry->slot, total_before_ns, (uint64_t)total_ns);
        tc_slot_raise_total(&entry->slot, (uint64_t)total_ns);
        total_ns = (int64_t)TC_LOAD(entry->slot.total_ns);
    }
    error = tc_entry_release(entry, generation, error);
    return error < 0 ? error : total_ns;
}

int64_t threadclock_thread_total_ns(threadclock_thread thread)
{
    struct entry *entry = tc_entry_hold(thread);
    return entry != NULL ? total_of_held(entry, tc_generation_of(thread)) : -ESRCH;
}

int64_t tc_threads_total_of(uint64_t id)
{
    struct entry *entry;
    uint32_t generation;
    int error = tc_entry_hold_id(id, &entry, &generation);
    return error == 0 ? total_of_held(entry, generation) : error;
}

int64_t threadclock_threads_times(const threadclock_thread *threads, size_t count,
                                  struct threadclock_times *times)
{
    if (count > 0 && (threads == NULL || times == NULL))
        return -EINVAL;
    int64_t read = 0;
    for (size_t i = 0; i < count; i++) {
        struct threadclock_times one;
        int error = threadclock_thread_times(threads[i], &one);
        times[i] = error == 0 ? one : (struct threadclock_times){error, error, error};
        read += error == 0;
    }
    return read;
}
