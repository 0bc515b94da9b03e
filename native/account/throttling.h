/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often and how long a process was stopped because of its control group's CPU limit. Neither value
 * decreases, even if the process moves to another group. For one thread at a time.
 */
#ifndef TC_THROTTLING_H
#define TC_THROTTLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys.h"

/* A value that the kernel counts for each group, of which only what is new is added. */
struct tc_throttled {
    int64_t last, sum; /* sum -1: not known */
};

struct tc_throttling {
    const char *groups_file, *mounts_file; /* /proc/self/cgroup and /proc/self/mountinfo */
    bool of_another; /* set it after the beginning: the groups are another process's, the mounts our own */
    struct tc_throttled periods, ns;
    char *groups;              /* the text for which the places were found */
    struct tc_cgroup_place *places;
    size_t count;
    char *tightest; /* the folder of the group that was read last */
};

TC_INTERNAL void tc_throttling_begin(struct tc_throttling *throttling, const char *groups_file,
                                     const char *mounts_file);

/* If the files cannot be read or understood, nothing changes. */
TC_INTERNAL void tc_throttling_read(struct tc_throttling *throttling);

TC_INTERNAL void tc_throttling_end(struct tc_throttling *throttling);

#endif
