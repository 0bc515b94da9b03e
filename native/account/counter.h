/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of which neither user nor system decreases, and the part of it that belongs to an interval. */
#ifndef TC_COUNTER_H
#define TC_COUNTER_H

#include <stdint.h>

struct tc_counter {
    int64_t user_ns, total_ns;
    int64_t user_before_ns, total_before_ns; /* at the beginning of the interval */
};

static inline int64_t tc_least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static inline int64_t tc_most(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* Begins an interval. */
static inline void tc_counter_begin(struct tc_counter *counter)
{
    counter->user_before_ns = counter->user_ns;
    counter->total_before_ns = counter->total_ns;
}

/* Begins it at an earlier reading; at the present one if that is later. */
static inline void tc_counter_begin_at(struct tc_counter *counter, int64_t user_ns, int64_t total_ns)
{
    int64_t at_ns = tc_least(tc_most(total_ns, counter->total_before_ns), counter->total_ns);
    int64_t least_ns = tc_most(counter->user_before_ns, counter->user_ns - (counter->total_ns - at_ns));
    int64_t most_ns = tc_least(counter->user_ns, counter->user_before_ns + at_ns - counter->total_before_ns);
    counter->user_before_ns = tc_most(least_ns, tc_least(most_ns, user_ns));
    counter->total_before_ns = at_ns;
}

/* Raises total to a newer reading, and user as far as possible. An older reading changes nothing. */
static inline void tc_counter_raise(struct tc_counter *counter, int64_t user_ns, int64_t total_ns)
{
    int64_t more_ns = tc_most(0, total_ns - counter->total_ns);
    counter->user_ns = tc_most(counter->user_ns, tc_least(user_ns, counter->user_ns + more_ns));
    counter->total_ns += more_ns;
}

/* Raises it by what was used elsewhere. */
static inline void tc_counter_add(struct tc_counter *counter, int64_t user_ns, int64_t total_ns)
{
    tc_counter_raise(counter, counter->user_ns + user_ns, counter->total_ns + total_ns);
}

/* What was used in the interval. */
static inline int64_t tc_counter_used_user(const struct tc_counter *counter)
{
    return counter->user_ns - counter->user_before_ns;
}

static inline int64_t tc_counter_used(const struct tc_counter *counter)
{
    return counter->total_ns - counter->total_before_ns;
}

#endif
