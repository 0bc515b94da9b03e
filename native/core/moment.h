/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread has used by one moment, and the arithmetic of what it uses between two. */
#ifndef TC_MOMENT_H
#define TC_MOMENT_H

#include <stdint.h>

#include "threadclock.h"

/* A share is a fraction of this. */
static const uint64_t TC_WHOLE_SHARE = UINT64_C(1) << 32;

/*
 * A thread's times at one moment: total precise, the sum of user and system and its user part as of the last
 * tick; and the user share of the ticks before that. Totals of one thread never decrease, so that no moment
 * counts in two intervals that follow each other.
 */
struct tc_moment {
    uint64_t total_ns, sum_ns, user_ns, share;
};

/* part / whole, as a share. */
static inline uint64_t tc_share_of(uint64_t part, uint64_t whole)
{
    for (; whole >= TC_WHOLE_SHARE; whole >>= 1)
        part >>= 1;
    return part >= whole ? TC_WHOLE_SHARE : (part << 32) / whole;
}

static inline uint64_t tc_scaled(uint64_t ns, uint64_t share)
{
    return (ns >> 32) * share + ((ns & (TC_WHOLE_SHARE - 1)) * share >> 32);
}

/*
 * The user share of the time between two moments; `known` if no tick came between them, or if a restored
 * process made the times decrease.
 */
static inline uint64_t tc_share_between(uint64_t sum_ns, uint64_t user_ns, const struct tc_moment *now,
                                        uint64_t known)
{
    return now->sum_ns > sum_ns && now->user_ns >= user_ns
               ? tc_share_of(now->user_ns - user_ns, now->sum_ns - sum_ns)
               : known;
}

/* The times between two moments; `known` is the user share if no tick came between them. */
static inline struct threadclock_times tc_times_between(const struct tc_moment *since,
                                                        const struct tc_moment *now, uint64_t known)
{
    uint64_t share = tc_share_between(since->sum_ns, since->user_ns, now, known);
    uint64_t total_ns = now->total_ns > since->total_ns ? now->total_ns - since->total_ns : 0;
    uint64_t user_ns = tc_scaled(total_ns, share);
    return (struct threadclock_times){(int64_t)user_ns, (int64_t)(total_ns - user_ns), (int64_t)total_ns};
}

#endif
