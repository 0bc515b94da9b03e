/* SPDX-License-Identifier: Apache-2.0 */
/* Reports which clocks are read under the options, what they cost, and how many threads are known. */
#include "clock_status.h"

#include "report.h"
#include "threadclock.h"
#include "threads.h"

static void describe(const struct agent_options *to, const char *name, enum threadclock_quantity quantity,
                     enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    if (threadclock_describe(quantity, freshness, &source) != 0)
        return;
    report_answer(to, "%s.source=%s", name, source.name);
    report_answer(to, "%s.resolution_ns=%lld", name, (long long)source.resolution_ns);
    report_answer(to, "%s.age_ns=%lld", name, (long long)source.age_ns);
    report_answer(to, "%s.system_calls=%d", name, (int)source.system_calls);
}

void clock_status(const struct agent_options *to, const struct agent_options *options)
{
    report_answer(to, "freshness=%s", agent_freshness_words[options->freshness]);
    report_answer(to, "total=%s", agent_total_words[options->total]);
    report_answer(to, "reach=%s", agent_reach_words[options->reach]);
    describe(to, "user", THREADCLOCK_USER, options->freshness);
    static const enum threadclock_freshness total_freshness[] = {
        [TOTAL_TICK] = THREADCLOCK_TICK, [TOTAL_NOW] = THREADCLOCK_NOW,
        [TOTAL_INTERPOLATED] = THREADCLOCK_INTERPOLATED};
    if (options->total != TOTAL_JVM)
        describe(to, "total", THREADCLOCK_TOTAL, total_freshness[options->total]);
    report_answer(to, "threads=%u", (unsigned)tc_threads_count());
}
