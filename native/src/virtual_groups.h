/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads by group: how many there are, and the CPU time of all of them, of ended ones as well. */
#ifndef TC_VIRTUAL_GROUPS_H
#define TC_VIRTUAL_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys.h"
#include "threadclock.h"
#include "virtual_accounts.h"

enum { TC_GROUP_NAME_BYTES = 256 };

/*
 * The group of threads with this name: those whose names differ only in numbers, as ThreadNames.pool in the
 * Java library has it. Longer names are truncated. Groups stay for good, so their number is limited: 0,
 * "(other virtual threads)", is the group of all that came later. No lock if the group exists.
 */
TC_INTERNAL uint32_t tc_group_of(const char *name);

struct tc_virtual_group {
    const char *name; /* with * for each number; valid for good */
    uint32_t threads; /* that live */
    uint32_t mounted;
    struct threadclock_times times; /* since accounting was first switched on; none decreases */
};

/*
 * Reads the groups that have, or had, threads, and returns their number. It visits the memory of as many
 * accounts as ever existed at a time, 128 bytes each, and reads the clock of each carrier.
 */
TC_INTERNAL uint32_t tc_virtual_groups(struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

#endif
