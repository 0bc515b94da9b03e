/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads by group: their number, and the CPU time of all of them, including ended ones. */
#ifndef TC_VIRTUAL_GROUPS_H
#define TC_VIRTUAL_GROUPS_H

#include <stdint.h>

#include "sys.h"
#include "threadclock.h"
#include "virtual_accounts.h"

enum { TC_GROUP_NAME_BYTES = 256 };

/*
 * The group of threads with this name. Names that differ only in numbers belong to one group, as in
 * ThreadNames.pool of the Java library. Longer names are truncated. Groups are never removed, so their number
 * is limited: all later names belong to group 0, "(other virtual threads)". Takes no lock if the group
 * exists.
 */
TC_INTERNAL uint32_t tc_group_of(const char *name);

struct tc_virtual_group {
    const char *name; /* with * for each number; never freed */
    uint32_t threads; /* living */
    uint32_t mounted;
    struct threadclock_times times; /* since accounting was first switched on; none decreases */
};

/*
 * Reads the groups that have, or have had, threads, and returns their number. Visits as many accounts as ever
 * existed at once (128 bytes each), and reads the clock of each carrier.
 */
TC_INTERNAL uint32_t tc_virtual_groups(struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

#endif
