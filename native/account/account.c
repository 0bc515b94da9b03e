/* SPDX-License-Identifier: Apache-2.0 */
/* The pass: gives the time of threads to their groups. */
#include "account.h"

#include <stdlib.h>
#include <string.h>

/* Time that this pass has found and has not yet given to groups. */
struct part {
    int64_t user_ns, total_ns;
};

/* A thread, and the group to which its time goes. */
struct member {
    struct tc_thread thread;
    struct tc_group *group;
    bool is_java;       /* its group is that of its name as a Java thread */
    uint64_t name_hash; /* of that name; of the kernel's otherwise */
};

struct tc_account {
    const struct tc_account_source *source;
    struct tc_roster roster;
    struct tc_pools pools;
    struct tc_group *of_jvm[TC_KIND_UNSEEN + 1]; /* by kind; null where a kind has other groups */
    struct tc_group *virtual[TC_VIRTUAL_GROUPS];
    uint32_t virtual_count;
    bool has_carriers, counts_waits;
    struct part of_carriers, of_unseen;
    uint64_t changes;
};

/* Gives at most what is wanted and what there is. In the remainder, user never exceeds total. */
static void give(struct part *part, struct tc_group *group, int64_t wanted_user_ns, int64_t wanted_ns)
{
    int64_t total_ns = tc_least(wanted_ns, part->total_ns);
    int64_t user_ns = tc_most(tc_least(tc_least(wanted_user_ns, total_ns), part->user_ns),
                              part->user_ns - (part->total_ns - total_ns));
    tc_counter_add(&group->used, user_ns, total_ns);
    part->user_ns -= user_ns;
    part->total_ns -= total_ns;
}

static void set_group(struct member *member, struct tc_group *group)
{
    tc_group_hold(group);
    tc_group_release(member->group);
    member->group = group;
}

static void leave_group(void *reader, struct tc_thread *thread)
{
    set_group((struct member *)thread, NULL);
}

/* Adds to a group what the thread had used by an earlier reading, and no call before has added. */
static void count_until(struct tc_account *account, struct member *member, int64_t user_ns, int64_t total_ns,
                        struct tc_group *group)
{
    struct tc_counter *used = &member->thread.used;
    int64_t used_user_ns = tc_counter_used_user(used), used_ns = tc_counter_used(used);
    tc_counter_begin_at(used, user_ns, total_ns);
    used_user_ns -= tc_counter_used_user(used);
    used_ns -= tc_counter_used(used);
    if (used_ns != 0)
        tc_pools_works(&account->pools, group);
    if (group->kind == TC_KIND_CARRIER) {
        account->of_carriers.user_ns += used_user_ns;
        account->of_carriers.total_ns += used_ns;
    } else {
        tc_counter_add(&group->used, used_user_ns, used_ns);
    }
}

static void count_used(struct tc_account *account, struct member *member)
{
    count_until(account, member, member->thread.used.user_ns, member->thread.used.total_ns, member->group);
}

static struct tc_group *carriers(struct tc_account *account)
{
    account->changes += !account->has_carriers;
    account->has_carriers = true;
    return account->of_jvm[TC_KIND_CARRIER];
}

/* The pool of a thread with this name. Those of threadclock share one. */
static struct tc_group *pool(struct tc_account *account, const char *name)
{
    return tc_pools_of(&account->pools, tc_is_agents_thread(name) ? "threadclock" : name);
}

static struct tc_group *java_group(struct tc_account *account, const struct tc_java *java, const char *name)
{
    enum tc_kind kind = java->is_of_top_group ? tc_kind_of_jvm_thread(name) : TC_KIND_NATIVE;
    return java->is_carrier    ? carriers(account)
           : kind == TC_KIND_NATIVE ? pool(account, name)
                               : account->of_jvm[kind];
}

static void find_java_group(struct tc_account *account, void *of, struct member *member)
{
    char name[TC_THREAD_NAME_BYTES];
    uint64_t hash = member->name_hash;
    if (account->source->java_name(of, &member->thread.java, name))
        hash = tc_name_hash(name);
    else /* it has ended */
        tc_pool_name(member->is_java ? member->group->name : "", name, sizeof name);
    if (!member->is_java || hash != member->name_hash
        || tc_pools_are_unsettled(&account->pools, member->group))
        set_group(member, java_group(account, &member->thread.java, name));
    member->is_java = true;
    member->name_hash = hash;
}

/*
 * Determines the group again only if the thread's name has changed, or its pool has lost its place. Most
 * threads sleep: the name of a Java thread that has not run is not looked at.
 */
static void find_group(struct tc_account *account, void *of, struct member *member)
{
    const struct tc_thread *thread = &member->thread;
    const struct threadclock_thread_row *row = thread->row;
    if (thread->java.id != 0) {
        if (thread->java.id != thread->id_before || tc_counter_used(&thread->used) != 0)
            find_java_group(account, of, member);
    } else if (member->is_java && thread->used.total_ns <= thread->ended_ns) {
        return; /* it has ended since its row was read */
    } else if (member->group == NULL || member->is_java || member->name_hash != tc_name_hash(row->name)
               || tc_pools_are_unsettled(&account->pools, member->group)) {
        set_group(member, tc_is_agents_thread(row->name) ? pool(account, row->name)
                                                         : account->of_jvm[tc_kind_of_jvm_thread(row->name)]);
        member->is_java = false;
        member->name_hash = tc_name_hash(row->name);
    }
}

static void count(struct tc_account *account, void *of, struct member *member)
{
    find_group(account, of, member);
    member->group->threads++;
    count_used(account, member);
    int64_t waited_ns = tc_roster_wait(&account->roster, of, &member->thread);
    account->counts_waits |= waited_ns >= 0;
    member->group->waited_ns += tc_most(0, waited_ns);
}

static struct tc_group *ended_group(struct tc_account *account, const struct tc_ended *ended)
{
    return ended->is_carrier ? carriers(account) : pool(account, ended->name);
}

static void count_ended(struct tc_account *account, struct member *member, const struct tc_ended *ended)
{
    int64_t user_ns = ended->times.user_ns, total_ns = ended->times.total_ns;
    uint64_t hash = tc_name_hash(ended->name);
    if (member->group != NULL && !member->is_java) { /* all readings so far found it native */
        tc_roster_raise(&account->roster, &member->thread, user_ns, total_ns);
        count_until(account, member, ended->begun.user_ns, ended->begun.total_ns, member->group);
        count_until(account, member, user_ns, total_ns, ended_group(account, ended));
        return;
    }
    if (member->thread.id_before != ended->id || !member->is_java || hash != member->name_hash
        || tc_pools_are_unsettled(&account->pools, member->group)) {
        set_group(member, ended_group(account, ended));
        member->is_java = true;
        member->name_hash = hash;
    }
    tc_roster_raise(&account->roster, &member->thread, user_ns, total_ns);
    count_until(account, member, user_ns, total_ns, member->group); /* its row may have more */
}

/*
 * Counts what ended threads have used since they were last seen. Of a thread that was native so far, because
 * it was starting or not attached, only what it used as a Java thread is its pool's.
 */
static void count_all_ended(struct tc_account *account, void *of)
{
    struct tc_ended ended;
    struct tc_thread *thread;
    while ((thread = tc_roster_ended(&account->roster, of, &ended)) != NULL)
        count_ended(account, (struct member *)thread, &ended);
}

static struct tc_group *virtual_group(struct tc_account *account, const char *name)
{
    for (uint32_t i = 0; i < account->virtual_count; i++)
        if (strcmp(account->virtual[i]->name, name) == 0)
            return account->virtual[i];
    bool has_room = account->virtual_count < TC_VIRTUAL_GROUPS;
    struct tc_group *group = has_room ? tc_group_new(TC_KIND_VIRTUAL, name) : NULL;
    if (group != NULL) {
        account->virtual[account->virtual_count++] = group;
        account->changes++;
    }
    return group;
}

/* Time that neither this pass nor the last has found is given up: it is on other carriers. */
static void want(struct tc_group *group, const struct threadclock_times *now)
{
    group->wanted_ns = tc_least(group->wanted_ns, tc_counter_used(&group->all));
    tc_counter_begin(&group->all);
    tc_counter_raise(&group->all, now->user_ns, now->total_ns);
    group->wanted_ns += tc_counter_used(&group->all);
    group->user_wanted_ns = tc_least(group->user_wanted_ns + tc_counter_used_user(&group->all),
                                     group->wanted_ns);
}

static void take(struct tc_group *group, struct part *part)
{
    tc_counter_begin(&group->used);
    give(part, group, group->user_wanted_ns, group->wanted_ns);
    group->wanted_ns -= tc_counter_used(&group->used);
    group->user_wanted_ns = tc_most(0, tc_least(group->user_wanted_ns - tc_counter_used_user(&group->used),
                                                group->wanted_ns));
}

/*
 * Moves the time of virtual threads from their carriers to their groups. Some carriers may have ended, so
 * their time is unseen; where no carrier was ever found, unseen time may be anyone's. Time that is found in
 * neither, for example that of another scheduler's carriers, is not added, because it is counted in their
 * pool.
 */
static void count_virtual(struct tc_account *account, const struct tc_virtual_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tc_group *group = virtual_group(account, groups[i].name);
        if (group == NULL)
            continue;
        group->threads = groups[i].threads;
        want(group, &groups[i].times);
        take(group, &account->of_carriers);
        if (account->has_carriers)
            take(group, &account->of_unseen);
    }
}

/* Before they are counted again: all threads, or only those that ran. */
static void forget_numbers_of_threads(struct tc_account *account, bool all)
{
    for (size_t i = 0; !all && i < tc_roster_count(&account->roster); i++)
        ((struct member *)tc_roster_at(&account->roster, i))->group->threads--;
    for (uint32_t i = 0; i < account->virtual_count; i++)
        account->virtual[i]->threads = 0;
    for (size_t kind = 0; all && kind <= TC_KIND_UNSEEN; kind++)
        if (account->of_jvm[kind] != NULL)
            account->of_jvm[kind]->threads = 0;
}

/*
 * Groups of virtual threads are read last: what they use in between is found with their carriers in the next
 * pass, and has not gone to another group by then.
 */
int tc_account_pass(struct tc_account *account, void *of)
{
    struct tc_roster *roster = &account->roster;
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    int error = tc_roster_pass(roster, of, false);
    if (error != 0)
        return error;
    uint32_t group_count = account->source->virtual_groups(of, groups);
    tc_pools_pass(&account->pools, account->source->now_ns(of), roster->all);
    forget_numbers_of_threads(account, roster->all);
    if (roster->all)
        count_all_ended(account, of);
    for (size_t i = 0; i < tc_roster_count(roster); i++)
        count(account, of, (struct member *)tc_roster_at(roster, i));
    tc_roster_finish(roster, of);
    account->of_unseen.user_ns += tc_counter_used_user(&roster->rest);
    account->of_unseen.total_ns += tc_counter_used(&roster->rest);
    count_virtual(account, groups, group_count);
    give(&account->of_carriers, account->of_jvm[TC_KIND_CARRIER], account->of_carriers.user_ns,
         account->of_carriers.total_ns);
    give(&account->of_unseen, account->of_jvm[TC_KIND_UNSEEN], account->of_unseen.user_ns,
         account->of_unseen.total_ns);
    return 0;
}

struct tc_account *tc_account_begin(const struct tc_account_source *source, void *of, uint32_t pools,
                                    int64_t idle_ns)
{
    static const char *const names[TC_KIND_UNSEEN + 1] = {
        [TC_KIND_CARRIER] = "carriers of virtual threads", [TC_KIND_GC] = "garbage collector",
        [TC_KIND_JIT] = "compilers", [TC_KIND_JVM] = "JVM", [TC_KIND_NATIVE] = "native threads",
        [TC_KIND_UNSEEN] = "(unseen)"};
    struct tc_account *account = calloc(1, sizeof *account);
    if (account == NULL)
        return NULL;
    account->source = source;
    tc_roster_begin(&account->roster, source->roster, sizeof(struct member), leave_group, NULL);
    bool all = tc_pools_begin(&account->pools, pools, idle_ns, source->now_ns(of));
    for (size_t kind = 0; kind <= TC_KIND_UNSEEN; kind++)
        if (names[kind] != NULL)
            all &= (account->of_jvm[kind] = tc_group_new((enum tc_kind)kind, names[kind])) != NULL;
    if (all)
        return account;
    tc_account_end(account, of);
    return NULL;
}

void tc_account_end(struct tc_account *account, void *of)
{
    tc_roster_end(&account->roster, of);
    for (size_t kind = 0; kind <= TC_KIND_UNSEEN; kind++)
        free(account->of_jvm[kind]);
    for (uint32_t i = 0; i < account->virtual_count; i++)
        free(account->virtual[i]);
    tc_pools_end(&account->pools);
    free(account);
}

uint32_t tc_account_groups(const struct tc_account *account, const struct tc_group *groups[TC_GROUPS_MAX])
{
    uint32_t count = 0;
    for (int kind = TC_KIND_GC; kind <= TC_KIND_UNSEEN; kind++)
        groups[count++] = account->of_jvm[kind];
    if (account->has_carriers)
        groups[count++] = account->of_jvm[TC_KIND_CARRIER];
    for (uint32_t i = 0; i < account->pools.count; i++)
        groups[count++] = account->pools.shown[i];
    for (uint32_t i = 0; i < account->virtual_count; i++)
        groups[count++] = account->virtual[i];
    return count;
}

const struct tc_roster *tc_account_roster(const struct tc_account *account)
{
    return &account->roster;
}

int64_t tc_account_waited_ns(const struct tc_account *account, const struct tc_group *group)
{
    bool counts = account->counts_waits && group->kind != TC_KIND_UNSEEN && group->kind != TC_KIND_VIRTUAL;
    return counts ? group->waited_ns : -1;
}

uint64_t tc_account_changes(const struct tc_account *account)
{
    return account->changes + account->pools.changes;
}

bool tc_account_is_overfull(const struct tc_account *account)
{
    return account->pools.is_overfull;
}
