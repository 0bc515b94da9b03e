/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of many_reads, and the table that it prints. */
#include <stdio.h>

#include "many_reads.h"

static const char *const kind_names[KINDS] = {
    [USER_TICK] = "own user, tick", [SYSTEM_TICK] = "own system, tick", [TOTAL_TICK] = "own total, tick",
    [TIMES_TICK] = "own three, tick", [USER_NOW] = "own user, now", [SYSTEM_NOW] = "own system, now",
    [TOTAL_NOW] = "own total, now", [TIMES_NOW] = "own three, now",
    [INTERPOLATED] = "own total, interpolated", [BY_HANDLE] = "by handle",
    [TOTAL_BY_HANDLE] = "total by handle", [HANDLES] = "many handles at once", [BY_TID] = "by TID",
    [ALL_THREADS] = "all threads", [PROCESS] = "process", [YOUNG_BY_HANDLE] = "young, by handle",
    [YOUNG_BY_TID] = "young, by TID", [ENDED] = "handle of an ended one",
    [IN_HANDLER] = "in signal handlers", [IN_FORKED] = "in forked processes"};

struct kind_counts counts[KINDS];

void count(enum kind kind, const struct tally *tally)
{
    atomic_fetch_add_explicit(&counts[kind].reads, tally->reads, memory_order_relaxed);
    if (tally->decreases | tally->above | tally->foreign | tally->failed) {
        atomic_fetch_add(&counts[kind].decreases, tally->decreases);
        atomic_fetch_add(&counts[kind].above, tally->above);
        atomic_fetch_add(&counts[kind].foreign, tally->foreign);
        atomic_fetch_add(&counts[kind].failed, tally->failed);
    }
}

static int64_t reads_in_all(void)
{
    int64_t reads = 0;
    for (int kind = 0; kind < KINDS; kind++)
        reads += atomic_load(&counts[kind].reads);
    return reads;
}

bool have_been_counted(int64_t wanted)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (atomic_load(&counts[kind].reads) == 0)
            return false;
    return reads_in_all() >= wanted;
}

int print_counts(void)
{
    int status = 0;
    printf("%-26s %14s %9s %9s %9s %9s\n", "C", "reads", "decrease", "above", "another's", "failed");
    for (int kind = 0; kind < KINDS; kind++) {
        struct kind_counts *of = &counts[kind];
        printf("%-26s %14lld %9lld %9lld %9lld %9lld\n", kind_names[kind], (long long)of->reads,
               (long long)of->decreases, (long long)of->above, (long long)of->foreign, (long long)of->failed);
        if (of->reads == 0 || of->decreases != 0 || of->above != 0 || of->foreign != 0 || of->failed != 0)
            status = 1;
    }
    printf("%-26s %14lld\n", "in all", (long long)reads_in_all());
    return status;
}
