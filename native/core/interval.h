/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, for the rest of the library. */
#ifndef TC_INTERVAL_H
#define TC_INTERVAL_H

#include "sys.h"
#include "threadclock.h"

/*
 * As threadclock_interval_end, for the interval of another thread that is still running, whose times now are
 * these.
 */
TC_INTERNAL int tc_interval_elsewhere(const struct threadclock_interval *interval,
                                      const struct threadclock_times *now, struct threadclock_times *used);

#endif
