/* SPDX-License-Identifier: Apache-2.0 */
/* What any reader has seen of one thread: no reader may see less afterwards. */
#ifndef TC_TEST_SEEN_H
#define TC_TEST_SEEN_H

#include "support.h"

#include <stdatomic.h>

struct seen {
    _Atomic int64_t user_ns, system_ns, total_ns;
};

static inline struct threadclock_times seen_until_now(const struct seen *seen)
{
    return (struct threadclock_times){seen->user_ns, seen->system_ns, seen->total_ns};
}

static inline void raise_to(_Atomic int64_t *high, int64_t value)
{
    int64_t old = *high;
    while (old < value && !atomic_compare_exchange_weak(high, &old, value)) {
    }
}

/* Checks what was read after `before` had been seen. */
static inline void check_times(struct seen *seen, const struct threadclock_times *before,
                               const struct threadclock_times *times)
{
    assert_in_any_thread(times->user_ns >= before->user_ns);
    assert_in_any_thread(times->system_ns >= before->system_ns);
    assert_in_any_thread(times->total_ns >= before->total_ns);
    assert_in_any_thread(times->user_ns + times->system_ns <= times->total_ns);
    raise_to(&seen->user_ns, times->user_ns);
    raise_to(&seen->system_ns, times->system_ns);
    raise_to(&seen->total_ns, times->total_ns);
}

static inline void check_read(struct seen *seen, int (*read)(struct threadclock_times *))
{
    struct threadclock_times before = seen_until_now(seen), times;
    assert_in_any_thread(read(&times) == 0);
    check_times(seen, &before, &times);
}

/* Checks one read of the calling thread. */
static inline void check_one(struct seen *seen, int quantity, bool now)
{
    static int64_t (*const reads[3][2])(void) = {{threadclock_user_tick_ns, threadclock_user_now_ns},
                                                 {threadclock_system_tick_ns, threadclock_system_now_ns},
                                                 {threadclock_total_tick_ns, threadclock_total_now_ns}};
    struct threadclock_times before = seen_until_now(seen);
    int64_t ns = reads[quantity][now]();
    assert_in_any_thread(ns >= (quantity == 0   ? before.user_ns
                                : quantity == 1 ? before.system_ns
                                                : before.total_ns));
    assert_in_any_thread(quantity != 2 || ns >= before.user_ns + before.system_ns);
    raise_to(quantity == 0   ? &seen->user_ns
             : quantity == 1 ? &seen->system_ns
                             : &seen->total_ns,
             ns);
}

static inline void check_interpolated(struct seen *seen)
{
    struct threadclock_times before = seen_until_now(seen);
    int64_t total_ns = threadclock_total_interpolated_ns();
    assert_in_any_thread(total_ns >= before.total_ns && total_ns >= before.user_ns + before.system_ns);
    raise_to(&seen->total_ns, total_ns);
}

#endif
