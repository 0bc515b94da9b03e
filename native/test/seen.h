/* SPDX-License-Identifier: Apache-2.0 */
/* What anyone has seen of one thread: nobody may read less of it afterwards. */
#ifndef TC_TEST_SEEN_H
#define TC_TEST_SEEN_H

#include "support.h"

static struct {
    int64_t user_ns, system_ns, total_ns;
} seen;

static void raise_to(int64_t *high, int64_t value)
{
    int64_t old = __atomic_load_n(high, __ATOMIC_SEQ_CST);
    while (old < value && !__atomic_compare_exchange_n(high, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

static void check_read(int (*read)(struct threadclock_times *))
{
    int64_t user_ns = __atomic_load_n(&seen.user_ns, __ATOMIC_SEQ_CST), system_ns = __atomic_load_n(&seen.system_ns, __ATOMIC_SEQ_CST);
    int64_t total_ns = __atomic_load_n(&seen.total_ns, __ATOMIC_SEQ_CST);
    struct threadclock_times times;
    assert_in_any_thread(read(&times) == 0);
    assert_in_any_thread(times.user_ns >= user_ns);
    assert_in_any_thread(times.system_ns >= system_ns);
    assert_in_any_thread(times.total_ns >= total_ns);
    assert_in_any_thread(times.user_ns + times.system_ns <= times.total_ns);
    raise_to(&seen.user_ns, times.user_ns);
    raise_to(&seen.system_ns, times.system_ns);
    raise_to(&seen.total_ns, times.total_ns);
}

#endif
