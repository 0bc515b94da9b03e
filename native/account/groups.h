/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of an account, and the limited places of its pools of Java threads. */
#ifndef TC_GROUPS_H
#define TC_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "counter.h"
#include "sys.h"

/* In the order of CpuGroup.Kind. */
enum tc_kind {
    TC_KIND_JAVA,
    TC_KIND_VIRTUAL,
    TC_KIND_CARRIER,
    TC_KIND_GC,
    TC_KIND_JIT,
    TC_KIND_JVM,
    TC_KIND_NATIVE,
    TC_KIND_UNSEEN
};

/* What the threads of a group have used. */
struct tc_group {
    struct tc_counter used;
    int64_t waited_ns;
    uint32_t threads;
    enum tc_kind kind;
    const char *name; /* modified UTF-8; freed with the group */

    /* Of a pool. */
    uint32_t threads_before; /* of the last pass */
    uint32_t holders;        /* threads that are counted in it */
    bool has_place;
    int64_t idle_since_ns;

    /* Of virtual threads: all that they have used, and what was not found in their carriers' time yet. */
    struct tc_counter all;
    int64_t user_wanted_ns, wanted_ns;
};

/* The kind of a thread that HotSpot starts, by its name; TC_KIND_NATIVE for any other. */
TC_INTERNAL enum tc_kind tc_kind_of_jvm_thread(const char *name);

/* True for a thread of threadclock's own, by its name in Java or in the kernel. */
TC_INTERNAL bool tc_is_agents_thread(const char *name);

/* A group with a copy of this name; null: no memory. */
TC_INTERNAL struct tc_group *tc_group_new(enum tc_kind kind, const char *name);

enum { TC_POOLS_MAX = 100, TC_COMMON_POOLS = 2 };

/*
 * The pools that an account shows. They are limited in number, because programs give threads names of any
 * kind. When all places are taken, an active pool takes that of one that has no threads left, not even short
 * ones, or has been idle for long; if there is none, its threads' time goes to the pool "(other)".
 *
 * What a pool has used moves to "(past pools)" when it loses its place; if it comes back, it begins at zero.
 * So the pools always add up, and no pool that is shown decreases.
 */
struct tc_pools {
    uint32_t most; /* without the two common pools */
    int64_t idle_ns;
    struct tc_group *other, *past;
    uint32_t count;
    struct tc_group *shown[TC_POOLS_MAX + TC_COMMON_POOLS]; /* in the order in which they were first seen */
    int64_t now_ns, before_ns; /* this pass and the last one */
    bool has_no_place;         /* in this pass */
    bool is_overfull;          /* time had to go to the common pool */
    uint64_t changes;          /* of what is shown */
};

/* idle_ns: how long a pool that has threads keeps its place without using CPU time. False: no memory. */
TC_INTERNAL bool tc_pools_begin(struct tc_pools *pools, uint32_t most, int64_t idle_ns, int64_t now_ns);
TC_INTERNAL void tc_pools_end(struct tc_pools *pools);

/* Begins a pass, while the last one's numbers of threads are there. all: they are counted anew. */
TC_INTERNAL void tc_pools_pass(struct tc_pools *pools, int64_t now_ns, bool all);

/* The pool of a thread that has a new name. */
TC_INTERNAL struct tc_group *tc_pools_of(struct tc_pools *pools, const char *thread_name);

/* True if a thread that has used CPU time must be given its pool anew. */
TC_INTERNAL bool tc_pools_are_unsettled(const struct tc_pools *pools, const struct tc_group *group);

/* Notes that a thread of the group has used CPU time in this pass. */
TC_INTERNAL void tc_pools_works(const struct tc_pools *pools, struct tc_group *group);

/* A thread is counted in the group, which stays in memory until it is no longer. Null: no group. */
TC_INTERNAL void tc_group_hold(struct tc_group *group);
TC_INTERNAL void tc_group_release(struct tc_group *group);

#endif
