/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a process: each pass adds what every thread of its roster has used since the last one to its
 * group. So no counted time is lost when a thread ends, and no time decreases when a thread changes groups.
 * For one thread at a time.
 */
#ifndef TC_ACCOUNT_H
#define TC_ACCOUNT_H

#include "groups.h"
#include "roster.h"

/* Where an account gets its numbers; of is passed to each. */
struct tc_account_source {
    const struct tc_roster_source *roster;
    int64_t (*now_ns)(void *of);
    uint32_t (*virtual_groups)(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

    /* The present name of a Java thread; false: it has ended. */
    bool (*java_name)(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES]);
};

struct tc_account;

/* How long a pool keeps its place without using CPU time: CpuAccount.MAX_POOLS. */
#define TC_ACCOUNT_IDLE_NS INT64_C(60000000000)

/* A new account, with this many pools; null: no memory. */
TC_INTERNAL struct tc_account *tc_account_begin(const struct tc_account_source *source, void *of,
                                                uint32_t pools, int64_t idle_ns);
TC_INTERNAL void tc_account_end(struct tc_account *account, void *of);

/* 0, or a negative errno: the threads cannot be listed; nothing has changed. */
TC_INTERNAL int tc_account_pass(struct tc_account *account, void *of);

enum { TC_GROUPS_MAX = 6 + TC_POOLS_MAX + TC_COMMON_POOLS + TC_VIRTUAL_GROUPS };

/* The groups: GC, JIT, JVM, native and unseen, then carriers, pools and virtual threads. Their number. */
TC_INTERNAL uint32_t tc_account_groups(const struct tc_account *account,
                                       const struct tc_group *groups[TC_GROUPS_MAX]);

TC_INTERNAL const struct tc_roster *tc_account_roster(const struct tc_account *account);

/* For how long the group's threads have waited; -1: unknown, or counted for others. */
TC_INTERNAL int64_t tc_account_waited_ns(const struct tc_account *account, const struct tc_group *group);

/* Differs whenever the groups are others than before. */
TC_INTERNAL uint64_t tc_account_changes(const struct tc_account *account);

/* True once pools of threads that work have had no place. */
TC_INTERNAL bool tc_account_is_overfull(const struct tc_account *account);

#endif
