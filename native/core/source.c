/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where each read takes its value from, by trying what the read itself would try. */
#include <errno.h>
#include <stddef.h>

#include "clock_id.h"
#include "interpolated.h"
#include "own_thread.h"
#include "proc_stat.h"
#include "tick.h"

enum {
    RUSAGE_STEP_NS = 1000,
    PROC_SYSTEM_CALLS = 4, /* gettid, openat, read, close */
    NS_PER_SECOND = 1000000000
};

static const struct threadclock_source no_source = {THREADCLOCK_SOURCE_NONE, 0, 0, 0, "none"};

/*
 * How old the split may be if the kernel is asked without first bringing the run time up to date: one tick.
 * If its length is unknown, the longest that x86 and ARM kernels can be built with (HZ=100).
 */
static int64_t tick_age_ns(void)
{
    int64_t tick_ns = threadclock_tick_length_ns();
    return tick_ns > 0 ? tick_ns : NS_PER_SECOND / 100;
}

static struct threadclock_source proc_source(void)
{
    return (struct threadclock_source){THREADCLOCK_SOURCE_PROC, PROC_SYSTEM_CALLS,
                                       NS_PER_SECOND / tc_proc_user_hz(), tick_age_ns(),
                                       "/proc/self/task/<tid>/stat"};
}

static struct threadclock_source split_source(enum threadclock_freshness freshness, int have_sched)
{
    struct threadclock_times times;
    int error;
    switch (tc_sample(&times, &error)) {
    case THREADCLOCK_SOURCE_RUSAGE: break;
    case THREADCLOCK_SOURCE_PROC: return proc_source();
    default: return no_source;
    }
    if (freshness == THREADCLOCK_NOW)
        return (struct threadclock_source){THREADCLOCK_SOURCE_RUSAGE, have_sched ? 2 : 1, RUSAGE_STEP_NS,
                                           have_sched ? 0 : tick_age_ns(), "getrusage"};
    if (tc_coarse_ns() < 0)
        return (struct threadclock_source){THREADCLOCK_SOURCE_RUSAGE, 1, RUSAGE_STEP_NS, tick_age_ns(),
                                           "getrusage"};
    return (struct threadclock_source){THREADCLOCK_SOURCE_TICK_CACHE, 0, RUSAGE_STEP_NS, 2 * tick_age_ns(),
                                       "tick cache"};
}

int threadclock_describe(enum threadclock_quantity quantity, enum threadclock_freshness freshness,
                         struct threadclock_source *source)
{
    if (source == NULL || (unsigned)quantity > THREADCLOCK_TOTAL
        || (unsigned)freshness > THREADCLOCK_INTERPOLATED
        || (freshness == THREADCLOCK_INTERPOLATED && quantity != THREADCLOCK_TOTAL))
        return -EINVAL;
    if (freshness == THREADCLOCK_INTERPOLATED && tc_own_interpolates()) {
        int64_t step_ns = (int64_t)(TC_LOAD(tc_interpolation.scale) >> 32) + 1;
        *source = (struct threadclock_source){THREADCLOCK_SOURCE_INTERPOLATED, 0, step_ns, 0, "rseq and TSC"};
        return 0;
    }
    if (freshness == THREADCLOCK_INTERPOLATED)
        freshness = THREADCLOCK_NOW;
    int have_sched = threadclock_clock_ns(TC_CLOCK_OWN_SCHED) >= 0;
    if (quantity == THREADCLOCK_TOTAL && freshness == THREADCLOCK_NOW && have_sched)
        *source = (struct threadclock_source){THREADCLOCK_SOURCE_SCHED, 1, 1, 0, "clock_gettime"};
    else
        *source = split_source(freshness, have_sched);
    return 0;
}
