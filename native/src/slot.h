/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's time: takes in samples of every source by one rule, so that nothing that is read from it goes back. */
#ifndef TC_SLOT_H
#define TC_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "threadclock.h"

/*
 * sum_ns is user + system of the newest sample, user_ns its user part; system is the difference. The two change only
 * together, by one 16-byte compare-and-swap, so a signal handler or another thread in the middle of an update sees and
 * leaves a whole pair; and each change makes sum_ns greater, so sum, user, sum again with both sums alike is a
 * consistent pair. total_ns is the precise run time, which may be ahead of sum_ns: a maximum of its own.
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
    do {
        failed = 0;
        __asm__ volatile("ldaxp %0, %1, [%2]" : "=&r"(sum), "=&r"(user) : "r"(slot) : "memory");
        if (sum != old.sum_ns || user != old.user_ns) {
            __asm__ volatile("clrex" ::: "memory");
            return false;
        }
        __asm__ volatile("stlxp %w0, %2, %3, [%1]"
                         : "=&r"(failed)
                         : "r"(slot), "r"(new.sum_ns), "r"(new.user_ns)
                         : "memory");
    } while (failed);
    return true;
}
#else
/*
 * No 16-byte compare-and-swap (riscv64): sum_ns is held at BUSY while the pair changes, with signals blocked, so that no
 * handler waits for the thread that it interrupts. Equal sums are equal pairs, for each change makes the sum greater.
 */
#include <signal.h>

#include "sys.h"

#define TC_SUM_BUSY_POSSIBLE 1
#define TC_SUM_BUSY UINT64_MAX
static inline bool tc_pair_cas(struct tc_slot *slot, struct tc_pair old, struct tc_pair new)
{
    uint64_t all = ~UINT64_C(0), before;
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all);
    bool done = __atomic_compare_exchange_n(&slot->sum_ns, &old.sum_ns, TC_SUM_BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (done) {
        TC_STORE(slot->user_ns, new.user_ns);
        TC_STORE(slot->sum_ns, new.sum_ns);
    }
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
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

/* The precise run time: a maximum. Another thread or a handler may have put in a later one meanwhile; that one stays. */
static inline void tc_slot_raise_total(struct tc_slot *slot, uint64_t total_ns)
{
    uint64_t old = TC_LOAD(slot->total_ns);
    while (old < total_ns
           && !__atomic_compare_exchange_n(&slot->total_ns, &old, total_ns, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
}

/*
 * The rule: a sample that is not newer changes nothing; else its user part is clamped so that neither user nor system
 * goes back and the step is divided between them. Samples of one source in one thread pass unclamped, for the kernel
 * keeps the same rule (cputime_adjust); it is other sources, and kernels with NATIVE accounting, that need it.
 * total_ns is raised first, so that whoever sees the new sum finds a total that is not below it.
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
        struct tc_pair new = {sum_ns, user_ns < old.user_ns ? old.user_ns : user_ns > user_max_ns ? user_max_ns : user_ns};
        if (tc_pair_cas(slot, old, new))
            return;
    }
}

/* What another slot has seen of the same thread. */
static inline void tc_slot_take_over(struct tc_slot *slot, const struct tc_slot *from)
{
    struct tc_pair pair = tc_slot_pair(from);
    tc_slot_merge(slot, pair.user_ns, pair.sum_ns - pair.user_ns);
    tc_slot_raise_total(slot, TC_LOAD(from->total_ns));
}

/* The pair first, the total after it: so the total is not below their sum, whatever comes in between. */
static inline void tc_slot_times(const struct tc_slot *slot, struct threadclock_times *times)
{
    struct tc_pair pair = tc_slot_pair(slot);
    times->user_ns = (int64_t)pair.user_ns;
    times->system_ns = (int64_t)(pair.sum_ns - pair.user_ns);
    times->total_ns = (int64_t)TC_LOAD(slot->total_ns);
}

#endif
