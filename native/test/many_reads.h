/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of reads that many_reads makes, with the number made and the number wrong. */
#ifndef TC_MANY_READS_H
#define TC_MANY_READS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "loads.h"
#include "threadclock.h"

enum kind {
    USER_TICK, SYSTEM_TICK, TOTAL_TICK, TIMES_TICK, USER_NOW, SYSTEM_NOW, TOTAL_NOW, TIMES_NOW, INTERPOLATED,
    BY_HANDLE, TOTAL_BY_HANDLE, HANDLES, BY_TID, ALL_THREADS, PROCESS, YOUNG_BY_HANDLE, YOUNG_BY_TID, ENDED,
    IN_HANDLER, IN_FORKED, KINDS
};

/*
 * The number of readings, and of those that were below an earlier one; above the true value, or in parts
 * above the total; another thread's; failed.
 */
struct tally {
    int64_t reads, decreases, above, foreign, failed;
};

extern struct kind_counts {
    _Atomic int64_t reads, decreases, above, foreign, failed;
} counts[KINDS];

void count(enum kind kind, const struct tally *tally);

/* True if this many reads were made, with some of each kind. */
bool have_been_counted(int64_t wanted);

/* Prints a line per kind. Returns the exit status: 1 if a reading was wrong, or a kind had none. */
int print_counts(void);

static inline bool decreases(const struct threadclock_times *before, const struct threadclock_times *now)
{
    return now->user_ns < before->user_ns || now->system_ns < before->system_ns
           || now->total_ns < before->total_ns;
}

#endif
