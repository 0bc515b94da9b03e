/* SPDX-License-Identifier: Apache-2.0 */
/* Which pools have a place, and what HotSpot calls its threads. */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "hotspot_names.h"
#include "virtual_threads.h"

static bool begins_with_one_of(const char *name, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

enum tc_kind tc_kind_of_jvm_thread(const char *name)
{
    static const char *const gc[] = {HOTSPOT_GC_THREADS, NULL};
    static const char *const jit[] = {HOTSPOT_JIT_THREADS, NULL};
    static const char *const jvm[] = {HOTSPOT_OTHER_THREADS, NULL};
    return begins_with_one_of(name, gc)    ? TC_KIND_GC
           : begins_with_one_of(name, jit) ? TC_KIND_JIT
           : begins_with_one_of(name, jvm) ? TC_KIND_JVM
                                           : TC_KIND_NATIVE;
}

bool tc_is_agents_thread(const char *name)
{
    static const char *const agents[] = {"threadclock", "threadc..", NULL};
    return begins_with_one_of(name, agents);
}

struct tc_group *tc_group_new(enum tc_kind kind, const char *name)
{
    size_t size = strlen(name) + 1;
    struct tc_group *group = calloc(1, sizeof *group + size);
    if (group != NULL) {
        group->kind = kind;
        group->name = memcpy(group + 1, name, size);
        group->has_place = true;
    }
    return group;
}

static void free_if_unused(struct tc_group *group)
{
    if (!group->has_place && group->holders == 0)
        free(group);
}

void tc_group_hold(struct tc_group *group)
{
    if (group != NULL)
        group->holders++;
}

void tc_group_release(struct tc_group *group)
{
    if (group == NULL)
        return;
    group->holders--;
    free_if_unused(group);
}

bool tc_pools_begin(struct tc_pools *pools, uint32_t most, int64_t idle_ns, int64_t now_ns)
{
    *pools = (struct tc_pools){.most = most, .idle_ns = idle_ns, .now_ns = now_ns,
                               .other = tc_group_new(TC_KIND_JAVA, "(other)"),
                               .past = tc_group_new(TC_KIND_JAVA, "(past pools)")};
    return pools->other != NULL && pools->past != NULL;
}

void tc_pools_end(struct tc_pools *pools)
{
    for (uint32_t i = 0; i < pools->count; i++)
        if (pools->shown[i] != pools->other && pools->shown[i] != pools->past)
            free(pools->shown[i]);
    free(pools->other);
    free(pools->past);
}

void tc_pools_pass(struct tc_pools *pools, int64_t now_ns, bool all)
{
    pools->before_ns = pools->now_ns;
    pools->now_ns = now_ns;
    pools->has_no_place = false;
    for (uint32_t i = 0; i < pools->count; i++) {
        pools->shown[i]->threads_before = pools->shown[i]->threads;
        pools->shown[i]->threads = all ? 0 : pools->shown[i]->threads;
    }
}

static bool is_shown(const struct tc_pools *pools, const struct tc_group *pool)
{
    for (uint32_t i = 0; i < pools->count; i++)
        if (pools->shown[i] == pool)
            return true;
    return false;
}

static void show(struct tc_pools *pools, struct tc_group *pool)
{
    if (is_shown(pools, pool))
        return;
    pools->shown[pools->count++] = pool;
    pools->changes++;
}

static bool may_lose_its_place(const struct tc_pools *pools, const struct tc_group *pool)
{
    bool is_empty = pool->threads == 0 && pool->threads_before == 0
                    && pool->idle_since_ns < pools->before_ns;
    return pool != pools->other && pool != pools->past
           && (is_empty || pools->now_ns - pool->idle_since_ns > pools->idle_ns);
}

/* Takes the place from the pool that has been idle for longest. False: all are needed. */
static bool make_place(struct tc_pools *pools)
{
    uint32_t longest = pools->count;
    for (uint32_t i = 0; i < pools->count && !pools->has_no_place; i++)
        if (may_lose_its_place(pools, pools->shown[i])
            && (longest == pools->count
                || pools->shown[i]->idle_since_ns < pools->shown[longest]->idle_since_ns))
            longest = i;
    pools->has_no_place = longest == pools->count;
    if (pools->has_no_place)
        return false;
    struct tc_group *pool = pools->shown[longest];
    memmove(&pools->shown[longest], &pools->shown[longest + 1],
            (--pools->count - longest) * sizeof *pools->shown);
    tc_counter_add(&pools->past->used, pool->used.user_ns, pool->used.total_ns);
    pools->past->waited_ns += pool->waited_ns;
    pools->changes++;
    pool->has_place = false;
    free_if_unused(pool);
    show(pools, pools->past);
    return true;
}

static struct tc_group *other(struct tc_pools *pools)
{
    pools->is_overfull = true;
    show(pools, pools->other);
    return pools->other;
}

struct tc_group *tc_pools_of(struct tc_pools *pools, const char *thread_name)
{
    char name[TC_THREAD_NAME_BYTES];
    tc_pool_name(thread_name, name, sizeof name);
    if (strcmp(name, pools->other->name) == 0 || strcmp(name, pools->past->name) == 0) {
        show(pools, pools->other); /* two groups of one name would be one series twice */
        return pools->other;
    }
    for (uint32_t i = 0; i < pools->count; i++)
        if (strcmp(pools->shown[i]->name, name) == 0)
            return pools->shown[i];
    uint32_t common = is_shown(pools, pools->other) + is_shown(pools, pools->past);
    if (pools->count - common >= pools->most && !make_place(pools))
        return other(pools);
    struct tc_group *pool = tc_group_new(TC_KIND_JAVA, name);
    if (pool == NULL)
        return other(pools);
    pool->idle_since_ns = pools->now_ns;
    show(pools, pool);
    return pool;
}

bool tc_pools_are_unsettled(const struct tc_pools *pools, const struct tc_group *group)
{
    return group == pools->other ? !pools->has_no_place : group != NULL && !group->has_place;
}

void tc_pools_works(const struct tc_pools *pools, struct tc_group *group)
{
    group->idle_since_ns = pools->now_ns;
}
