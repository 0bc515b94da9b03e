/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a registered thread's clocks by its TID, and divides its run time as the kernel does for getrusage. */
#include <errno.h>
#include <stddef.h>

#include "entry.h"
#include "tick.h"

/*
 * The user share of a thread's run time, as its tick counters have it, in 2^32nds; the greatest value says all. As
 * cputime_adjust has it (kernel/sched/cputime.c): no system ticks: all user; no user ticks: all system.
 */
static uint32_t user_share(uint64_t virt_ns, uint64_t prof_ns)
{
    if (prof_ns <= virt_ns)
        return UINT32_MAX;
    while (prof_ns >> 32 != 0) {
        prof_ns >>= 1;
        virt_ns >>= 1;
    }
    return (uint32_t)((virt_ns << 32) / prof_ns);
}

static uint64_t user_part(uint64_t sched_ns, uint32_t share)
{
    return share == UINT32_MAX ? sched_ns : (sched_ns >> 32) * share + ((sched_ns & UINT32_MAX) * share >> 32);
}

static int64_t clock_of(pid_t tid, enum threadclock_clock clock)
{
    return threadclock_clock_ns((clockid_t)(~(uint32_t)tid << 3 | 4 | clock));
}

/* The counters change at ticks only: within one the share that was read last holds. 0, or a negative errno. */
static int read_share(struct entry *entry, uint32_t *share)
{
    uint64_t key = tc_tick_key(), tick = key * UINT64_C(0x9e3779b97f4a7c15) >> 32, known = TC_LOAD(entry->share_at_tick);
    if (known >> 32 == tick && known != 0 && key != TC_KEY_NEVER) {
        *share = (uint32_t)known;
        return 0;
    }
    int64_t virt_ns = clock_of(entry->tid, THREADCLOCK_CLOCK_VIRT), prof_ns = clock_of(entry->tid, THREADCLOCK_CLOCK_PROF);
    if (virt_ns < 0 || prof_ns < 0)
        return (int)(virt_ns < 0 ? virt_ns : prof_ns);
    *share = user_share((uint64_t)virt_ns, (uint64_t)prof_ns);
    TC_STORE(entry->share_at_tick, tick << 32 | *share);
    return 0;
}

/*
 * SCHED first: where it stands still the slot does, and nothing more is asked. The entry is not used again while readers is
 * above 0; that the registration stands after the last clock was read says that the TID was the thread's all the time.
 */
static int read_clocks(struct entry *entry, uint32_t generation)
{
    int64_t sched_ns = clock_of(entry->tid, THREADCLOCK_CLOCK_SCHED);
    bool news = sched_ns >= 0 && (uint64_t)sched_ns > tc_slot_sum(&entry->slot);
    uint32_t share = 0;
    int error = sched_ns < 0 ? (int)sched_ns : news ? read_share(entry, &share) : 0;
    if (error == -EINVAL || !tc_entry_stands(entry, generation))
        return -ESRCH;
    if (error == 0 && news) {
        uint64_t user_ns = user_part((uint64_t)sched_ns, share);
        tc_slot_merge(&entry->slot, user_ns, (uint64_t)sched_ns - user_ns);
    }
    return error;
}

int threadclock_thread_times(threadclock_thread thread, struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct entry *entry = tc_entry_hold(thread);
    if (entry == NULL)
        return -ESRCH;
    uint32_t generation = tc_generation_of(thread);
    int error = read_clocks(entry, generation);
    if (error == 0)
        tc_slot_times(&entry->slot, times);
    return tc_entry_release(entry, generation, error);
}

int64_t threadclock_thread_total_ns(threadclock_thread thread)
{
    struct entry *entry = tc_entry_hold(thread);
    if (entry == NULL)
        return -ESRCH;
    uint32_t generation = tc_generation_of(thread);
    int64_t total_ns = clock_of(entry->tid, THREADCLOCK_CLOCK_SCHED);
    int error = total_ns >= 0 ? 0 : total_ns == -EINVAL ? -ESRCH : (int)total_ns;
    if (error == 0 && tc_entry_stands(entry, generation)) {
        tc_slot_raise_total(&entry->slot, (uint64_t)total_ns);
        total_ns = (int64_t)TC_LOAD(entry->slot.total_ns);
    }
    error = tc_entry_release(entry, generation, error);
    return error < 0 ? error : total_ns;
}

int64_t threadclock_threads_times(const threadclock_thread *threads, size_t count, struct threadclock_times *times)
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
