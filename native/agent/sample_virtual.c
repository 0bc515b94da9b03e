/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the groups of virtual threads, less often if there are very many threads. */
#include "sample_virtual.h"

#include "virtual_groups.h"

enum { REST = 50 /* times what reading took */ };

static void put_group(struct sample_message *message, const struct tc_virtual_group *group)
{
    sample_put_kind(message, SAMPLE_GROUP);
    sample_put_u32(message, group->threads);
    sample_put_u32(message, group->mounted);
    sample_put_times(message, &group->times);
    sample_put_text(message, group->name);
}

void sample_virtual_put(struct sample_message *message, struct sample_virtual *virtual)
{
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    uint32_t epoch = tc_virtual_epoch();
    if (epoch == 0 || threadclock_clock_ns(CLOCK_MONOTONIC) < virtual->due_ns)
        return;
    int64_t before_ns = threadclock_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint32_t count = tc_virtual_groups(groups);
    int64_t used_ns = threadclock_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    int64_t end_ns = threadclock_clock_ns(CLOCK_MONOTONIC);
    virtual->due_ns = end_ns + REST * used_ns;
    if (tc_virtual_epoch() != epoch) /* switched off meanwhile: accounts were missing */
        return;
    sample_put_kind(message, SAMPLE_VIRTUAL);
    sample_put_u64(message, (uint64_t)end_ns);
    sample_put_u32(message, epoch);
    for (uint32_t i = 0; i < count; i++)
        put_group(message, &groups[i]);
}
