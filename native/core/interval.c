/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of the calling thread. */
#include "interval.h"

#include <errno.h>
#include <stddef.h>

#include "own_thread.h"
#include "slot.h"

/* What the public structure holds. */
struct begun {
    struct tc_moment at;
    uint64_t identity[2];
};
_Static_assert(sizeof(struct begun) == sizeof(struct threadclock_interval), "the public structure's size");

int threadclock_interval_begin(struct threadclock_interval *interval)
{
    if (interval == NULL)
        return -EINVAL;
    struct begun *begun = (struct begun *)interval;
    int error = tc_own_moment(THREADCLOCK_INTERPOLATED, &begun->at);
    tc_own_identity(begun->identity);
    if (error < 0)
        *begun = (struct begun){.identity = {0, 0}}; /* of no thread: its end fails */
    return error;
}

int threadclock_interval_end(const struct threadclock_interval *interval, struct threadclock_times *used)
{
    if (interval == NULL || used == NULL)
        return -EINVAL;
    const struct begun *begun = (const struct begun *)interval;
    struct tc_moment now;
    uint64_t identity[2];
    int error = tc_own_moment(THREADCLOCK_INTERPOLATED, &now);
    if (error < 0)
        return error;
    tc_own_identity(identity);
    if (begun->identity[0] != identity[0] || begun->identity[1] != identity[1]
        || tc_is_restored(begun->at.total_ns, now.total_ns))
        return -ESTALE;
    *used = tc_times_between(&begun->at, &now, now.share);
    return 0;
}

int tc_interval_elsewhere(const struct threadclock_interval *interval, const struct threadclock_times *now,
                          struct threadclock_times *used)
{
    const struct begun *begun = (const struct begun *)interval;
    struct tc_moment moment = {(uint64_t)now->total_ns, (uint64_t)(now->user_ns + now->system_ns),
                               (uint64_t)now->user_ns, begun->at.share};
    if (begun->identity[0] == 0 || tc_is_restored(begun->at.total_ns, moment.total_ns))
        return -ESTALE;
    *used = tc_times_between(&begun->at, &moment, moment.share);
    return 0;
}
