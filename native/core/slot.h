/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's time: merges samples of every source by one rule, so that no value read from it decreases. */
#ifndef TC_SLOT_H
#define TC_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "threadclock.h"

/*
 * sum_ns is user + system of the newest sample, user_ns its user part; system is the difference. The two
 * change only together, by one 16-byte compare-and-swap, so a signal handler or another thread that
 * interrupts an update sees and leaves a whole pair. Each change increases sum_ns (except for a restart), so
 * if sum_ns is the same before and after reading user_ns, the pair is consistent. total_ns is the precise run
 * time, which may be ahead of sum_ns; it is a separate maximum.
 */
struct tc_slot {
    _Alignas(16) uint64_t sum_ns;
    uint64_t user_ns;
    uint64_t total_ns;
};

struct tc_pair {
    uint64_t sum_ns;
    uint64_t user_ns;
};

#define TC_LOAD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define TC_LOAD_RELAXED(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define TC_STORE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

#if defined(__x86_64__) && !defined(TC_NO_CAS16)
#define TC_SUM_BUSY_POSSIBLE 0
static inline bool tc_pair_cas(struct tc_slot *slot, struct tc_pair old, struct tc_pair new)
{
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(struct tc_pair *)slot), "+a"(old.sum_ns), "+d"(old.user_ns)
                     : "b"(new.sum_ns), "c"(new.user_ns)
                     : "memory");
    return done;
}
#elif defined(__aarch64__) && !defined(TC_NO_CAS16)
#define TC_SUM_BUSY_POSSIBLE 0
static inline bool tc_pair_cas(struct tc_slot *slot, struct tc_pair old, struct tc_pair new)
{
    uint64_t sum, user;
    uint32_t failed;
    /* One statement: a store that the compiler put in between would clear the exclusive monitor. */
    __asm__ volatile("1: ldaxp %0, %1, [%3]\n"
                     "   cmp %0, %4\n"
                     "   ccmp %1, %5, #0, eq\n"
                     "   b.ne 2f\n"
                     "   stlxp %w2, %6, %7, [%3]\n"
                     "   cbnz %w2, 1b\n"
                     "   b 3f\n"
                     "2: clrex\n"
                     "   mov %w2, #1\n"
                     "3:"
                     : "=&r"(sum), "=&r"(user), "=&r"(failed)
                     : "r"(slot), "r"(old.sum_ns), "r"(old.user_ns), "r"(new.sum_ns), "r"(new.user_ns)
                     : "cc", "memory");
    return !failed;
}
#else
/*
 * No 16-byte compare-and-swap (riscv64): sum_ns is BUSY while the pair changes, with signals blocked, so that
 * no handler waits for the thread that it interrupts. Equal sums mean equal pairs, because each change
 * increases the sum.
 */
#include "sys.h"

#define TC_SUM_BUSY_POSSIBLE 1
#define TC_SUM_BUSY UINT64_MAX
static inline bool tc_pair_cas(struct tc_slot *slot, struct tc_pair old, struct tc_pair new)
{
    uint64_t signals = tc_signals_block();
    bool done = __atomic_compare_exchange_n(&slot->sum_ns, &old.sum_ns, TC_SUM_BUSY, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (done) {
        TC_STORE(slot->user_ns, new.user_ns);
        TC_STORE(slot->sum_ns, new.sum_ns);
    }
    tc_signals_restore(signals);
    return done;
}
#endif

static inline uint64_t tc_slot_sum(const struct tc_slot *slot)
{
    uint64_t sum = TC_LOAD(slot->sum_ns);
#if TC_SUM_BUSY_POSSIBLE
    while (sum == TC_SUM_BUSY)
        sum = TC_LOAD(slot->sum_ns);
#endif
    return sum;
}

static inline struct tc_pair tc_slot_pair(const struct tc_slot *slot)
{
    struct tc_pair pair;
    uint64_t again = tc_slot_sum(slot);
    do {
        pair.sum_ns = again;
        pair.user_ns = TC_LOAD(slot->user_ns);
        again = tc_slot_sum(slot);
    } while (__builtin_expect(again != pair.sum_ns, 0));
    return pair;
}

/* The precise run time: a maximum. A later one stored meanwhile by another thread or a handler stays. */
static inline void tc_slot_raise_total(struct tc_slot *slot, uint64_t total_ns)
{
    uint64_t old = TC_LOAD(slot->total_ns);
    while (old < total_ns
           && !__atomic_compare_exchange_n(&slot->total_ns, &old, total_ns, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE)) {
    }
}

/*
 * The rule: a sample that is not newer changes nothing. Otherwise its user part is clamped so that neither
 * user nor system decreases and the step is divided between them. Samples of one source in one thread pass
 * unclamped, because the kernel follows the same rule (cputime_adjust); samples of different sources, and
 * kernels with NATIVE accounting, need it. total_ns is raised first, so that a reader of the new sum never
 * finds a lower total.
 */
static inline void tc_slot_merge(struct tc_slot *slot, uint64_t user_ns, uint64_t system_ns)
{
    uint64_t sum_ns = user_ns + system_ns;
    tc_slot_raise_total(slot, sum_ns);
    for (;;) {
        struct tc_pair old = tc_slot_pair(slot);
        if (sum_ns <= old.sum_ns)
            return;
        uint64_t user_max_ns = old.user_ns + (sum_ns - old.sum_ns);
        struct tc_pair new = {
            sum_ns, user_ns < old.user_ns ? old.user_ns : user_ns > user_max_ns ? user_max_ns : user_ns};
        if (tc_pair_cas(slot, old, new))
            return;
    }
}

/*
 * A process that was frozen and restored (CRIU, CRaC) continues with new kernel tasks, whose clocks begin at
 * zero again. The precise clock is then behind the slot's earlier value, by more than anything else explains:
 * interpolation is ahead by 1 ms at most.
 */
enum { TC_RESTORED_NS = 10000000 };

static inline bool tc_is_restored(uint64_t total_before_ns, uint64_t sched_ns)
{
    return __builtin_expect(total_before_ns > sched_ns + TC_RESTORED_NS, 0);
}

/*
 * Restarts the slot once, however many readers notice. The pair is reset first, so that total is never below
 * user + system.
 */
static inline void tc_slot_restart_if_restored(struct tc_slot *slot, uint64_t total_before_ns,
                                               uint64_t sched_ns)
{
    struct tc_pair pair = tc_slot_pair(slot), none = {0, 0};
    if (!tc_is_restored(total_before_ns, sched_ns) || TC_LOAD(slot->total_ns) != total_before_ns)
        return;
    if (tc_is_restored(pair.sum_ns, sched_ns))
        tc_pair_cas(slot, pair, none);
    __atomic_compare_exchange_n(&slot->total_ns, &total_before_ns, sched_ns, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
}

/* Merges what another slot has seen of the same thread. */
static inline void tc_slot_take_over(struct tc_slot *slot, const struct tc_slot *from)
{
    struct tc_pair pair = tc_slot_pair(from);
    tc_slot_merge(slot, pair.user_ns, pair.sum_ns - pair.user_ns);
    tc_slot_raise_total(slot, TC_LOAD(from->total_ns));
}

/*
 * total is never below user + system: it is at least the sum, and read later. It may be below the sum just
 * read if the slot was restarted in between; then the sum is the answer from before that.
 */
static inline void tc_slot_times(const struct tc_slot *slot, struct threadclock_times *times)
{
    struct tc_pair pair = tc_slot_pair(slot);
    uint64_t total_ns = TC_LOAD(slot->total_ns);
    times->user_ns = (int64_t)pair.user_ns;
    times->system_ns = (int64_t)(pair.sum_ns - pair.user_ns);
    times->total_ns = (int64_t)(total_ns > pair.sum_ns ? total_ns : pair.sum_ns);
}

#endif
