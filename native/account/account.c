/* SPDX-License-Identifier: Apache-2.0 */
/* The pass: gives the time of threads to their groups. */
#include "account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time that this pass has found and has not yet given to groups. */
struct part {
    int64_t user_ns, total_ns;
};

/* A thread, and the group to which its time goes. */
struct member {
    struct tc_counter used;
    uint64_t serial;
    pid_t tid;
    struct tc_group *group;
    struct tc_java java;
    uint64_t counted_id; /* its Java id when it was last counted */
    bool is_java;        /* its group is that of its name as a Java thread */
    uint64_t name_hash;  /* of that name; of the kernel's otherwise */
    int64_t waited_ns, total_at_wait_ns;
    uint64_t ran_at; /* the last pass over all that found that it had run; 0: none */
};

struct list {
    struct member **members;
    size_t count, capacity;
};

/* Members by a number other than 0; of two with the same number the last one. Open addressing. */
struct map {
    size_t count, mask; /* mask 0: no memory, and nothing is found */
    struct map_entry {
        uint64_t key;
        struct member *member;
    } *entries;
};

enum { RAN_MAX = 256, LATELY = 16, PASSES_TO_WAIT = 2 };

struct tc_account {
    const struct tc_account_source *source;
    struct tc_pools pools;
    struct tc_group *of_jvm[TC_KIND_UNSEEN + 1]; /* by kind; null where a kind has other groups */
    struct tc_group *virtual[TC_VIRTUAL_GROUPS];
    uint32_t virtual_count;
    bool has_carriers, counts_waits;
    struct part of_carriers, of_unseen;
    struct tc_counter rest;              /* what the process used and no thread showed */
    int64_t shown_user_ns, shown_total_ns; /* by any thread so far */
    struct list present, before;         /* of this pass, in the order of the rows, and of the last one */
    struct list extra;                   /* ended threads that no pass has seen */
    struct threadclock_thread_row *rows;
    size_t rows_capacity;
    uint64_t passes;       /* over all threads, and LATELY */
    uint32_t ran[RAN_MAX]; /* the rows of those that ran lately, in the last LATELY of these */
    int64_t process_ns;    /* the most that the process's clock has shown */
    uint32_t ran_count;    /* possibly more than ran holds */
    uint32_t passes_to_wait;
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

static bool append(struct list *list, struct member *member)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct member **grown = realloc(list->members, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        list->members = grown;
        list->capacity = capacity;
    }
    list->members[list->count++] = member;
    return true;
}

/* Room for this many; it grows. */
static void map_begin(struct map *map, size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    map->count = 0;
    map->entries = calloc(size, sizeof *map->entries);
    map->mask = map->entries != NULL ? size - 1 : 0;
}

static struct map_entry *map_entry(const struct map *map, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
    while (map->entries[at].key != key && map->entries[at].key != 0)
        at = (at + 1) & map->mask;
    return &map->entries[at];
}

static struct member *map_get(const struct map *map, uint64_t key)
{
    return map->mask != 0 && key != 0 ? map_entry(map, key)->member : NULL;
}

static bool map_grow(struct map *map)
{
    struct map grown;
    map_begin(&grown, map->mask + 1);
    if (grown.mask == 0)
        return false;
    for (size_t i = 0; i <= map->mask; i++)
        if (map->entries[i].key != 0)
            *map_entry(&grown, map->entries[i].key) = map->entries[i];
    grown.count = map->count;
    free(map->entries);
    *map = grown;
    return true;
}

/* False: no memory. */
static bool map_put(struct map *map, uint64_t key, struct member *member)
{
    if (key == 0)
        return true;
    if (map->mask == 0 || (2 * map->count > map->mask && !map_grow(map)))
        return false;
    struct map_entry *entry = map_entry(map, key);
    map->count += entry->key == 0;
    *entry = (struct map_entry){key, member};
    return true;
}

static void set_group(struct member *member, struct tc_group *group)
{
    tc_group_hold(group);
    tc_group_release(member->group);
    member->group = group;
}

static void free_member(struct tc_account *account, void *of, struct member *member)
{
    if (member->java.id != 0)
        account->source->forget(of, &member->java);
    set_group(member, NULL);
    free(member);
}

enum { FIRST_ROWS = 4096 /* so that the first pass, too, reads most programs' threads once */ };

/*
 * Reads only the threads that ran lately. True: that is enough, because the process's clock, which was read
 * before, shows no more than the threads and the rest. The others together have then used no more than these
 * use during a pass, or since the last tick on other CPUs; it is found when they have used more. If it is not
 * enough, the next passes do not try it.
 */
static bool read_those_that_ran(struct tc_account *account, void *of)
{
    if (account->passes_to_wait > 0 || account->ran_count > RAN_MAX
        || account->ran_count > account->present.count / 2) {
        account->passes_to_wait -= account->passes_to_wait > 0;
        return false;
    }
    int64_t process_ns = account->source->same_threads_ns(of, account->present.count);
    int64_t known_ns = account->shown_total_ns + account->rest.total_ns;
    bool all = process_ns >= account->process_ns; /* a restored process's clock begins again */
    account->process_ns = tc_most(process_ns, account->process_ns);
    for (uint32_t i = 0; all && i < account->ran_count; i++) {
        struct threadclock_thread_row *row = &account->rows[account->ran[i]];
        const struct member *member = account->present.members[account->ran[i]];
        all = account->source->read_again(of, row);
        known_ns += tc_most(0, row->times.total_ns - member->used.total_ns);
    }
    bool enough = all && process_ns <= known_ns;
    account->passes_to_wait = account->ran_count == 0 || process_ns < 0 || enough ? 0 : PASSES_TO_WAIT;
    return enough;
}

/* Reads the threads into the rows. Their number, or a negative errno. */
static int64_t read_rows(struct tc_account *account, void *of)
{
    if (account->rows == NULL && (account->rows = malloc(FIRST_ROWS * sizeof *account->rows)) != NULL)
        account->rows_capacity = FIRST_ROWS;
    for (;;) {
        int64_t count = account->source->threads(of, account->rows, account->rows_capacity);
        if (count < 0 || (size_t)count <= account->rows_capacity)
            return count;
        size_t capacity = (size_t)count + (size_t)count / 4 + 16;
        struct threadclock_thread_row *grown = realloc(account->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return -ENOMEM;
        account->rows = grown;
        account->rows_capacity = capacity;
    }
}

static bool are_the_same(const struct list *members, const struct threadclock_thread_row *rows, size_t count)
{
    bool same = members->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = members->members[i]->serial == rows[i].serial;
    return same;
}

/*
 * Fills present with the members of the rows; those of the last pass are in before. False, and nothing has
 * changed: no memory.
 */
static bool align(struct tc_account *account, size_t count)
{
    struct list last = account->present;
    account->before.count = 0;
    for (size_t i = 0; i < last.count; i++)
        if (!append(&account->before, last.members[i]))
            return false;
    if (are_the_same(&last, account->rows, count))
        return true;
    struct map by_serial;
    struct list aligned = {.count = 0};
    map_begin(&by_serial, last.count);
    bool enough = by_serial.mask != 0;
    for (size_t i = 0; enough && i < last.count; i++)
        enough = map_put(&by_serial, last.members[i]->serial, last.members[i]);
    for (size_t i = 0; enough && i < count; i++) {
        struct member *member = map_get(&by_serial, account->rows[i].serial);
        bool is_new = member == NULL;
        if (is_new && (member = calloc(1, sizeof *member)) != NULL) {
            member->serial = account->rows[i].serial;
            member->tid = account->rows[i].tid;
            member->total_at_wait_ns = -1;
        }
        enough = member != NULL && append(&aligned, member);
        if (!enough && is_new)
            free(member);
    }
    for (size_t i = 0; !enough && i < aligned.count; i++)
        if (map_get(&by_serial, aligned.members[i]->serial) == NULL)
            free(aligned.members[i]);
    free(by_serial.entries);
    free(enough ? last.members : aligned.members);
    if (enough)
        account->present = aligned;
    return enough;
}

/* Frees the members of the last pass that are not in this one, and those of ended threads. */
static void free_gone(struct tc_account *account, void *of)
{
    if (!are_the_same(&account->before, account->rows, account->present.count)) {
        for (size_t i = 0; i < account->present.count; i++)
            account->present.members[i]->tid = -account->present.members[i]->tid; /* a mark */
        for (size_t i = 0; i < account->before.count; i++)
            if (account->before.members[i]->tid > 0)
                free_member(account, of, account->before.members[i]);
        for (size_t i = 0; i < account->present.count; i++)
            account->present.members[i]->tid = -account->present.members[i]->tid;
    }
    account->before.count = 0;
    for (size_t i = 0; i < account->extra.count; i++)
        free_member(account, of, account->extra.members[i]);
    account->extra.count = 0;
}

/* Raises the times of a thread to a newer reading. */
static void raise_to(struct tc_account *account, struct member *member, int64_t user_ns, int64_t total_ns)
{
    int64_t user_before_ns = member->used.user_ns, total_before_ns = member->used.total_ns;
    tc_counter_raise(&member->used, user_ns, total_ns);
    account->shown_user_ns += member->used.user_ns - user_before_ns;
    account->shown_total_ns += member->used.total_ns - total_before_ns;
}

/* Adds to a group what the thread had used by an earlier reading, and no call before has added. */
static void count_until(struct tc_account *account, struct member *member, int64_t user_ns, int64_t total_ns,
                        struct tc_group *group)
{
    int64_t used_user_ns = tc_counter_used_user(&member->used), used_ns = tc_counter_used(&member->used);
    tc_counter_begin_at(&member->used, user_ns, total_ns);
    used_user_ns -= tc_counter_used_user(&member->used);
    used_ns -= tc_counter_used(&member->used);
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
    count_until(account, member, member->used.user_ns, member->used.total_ns, member->group);
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

uint64_t tc_name_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

/* What the JVM knows by now of the threads of this pass. */
static void find_java_threads(struct tc_account *account, void *of)
{
    for (size_t i = 0; i < account->present.count; i++) {
        struct member *member = account->present.members[i];
        struct tc_java java = member->java;
        if (!account->source->java(of, &account->rows[i], &java))
            continue;
        if (member->java.reference != java.reference)
            account->source->forget(of, &member->java);
        member->java = java;
    }
}

static void find_java_group(struct tc_account *account, void *of, struct member *member)
{
    char name[TC_THREAD_NAME_BYTES];
    uint64_t hash = member->name_hash;
    if (account->source->java_name(of, &member->java, name))
        hash = tc_name_hash(name);
    else /* it has ended */
        tc_pool_name(member->is_java ? member->group->name : "", name, sizeof name);
    if (!member->is_java || hash != member->name_hash
        || tc_pools_are_unsettled(&account->pools, member->group))
        set_group(member, java_group(account, &member->java, name));
    member->is_java = true;
    member->name_hash = hash;
}

/*
 * Determines the group again only if the thread's name has changed, or its pool has lost its place. Most
 * threads sleep: the name of a Java thread that has not run is not looked at.
 */
static void find_group(struct tc_account *account, void *of, const struct threadclock_thread_row *row,
                       struct member *member)
{
    if (member->java.id != 0) {
        if (member->java.id != member->counted_id || tc_counter_used(&member->used) != 0)
            find_java_group(account, of, member);
    } else if (member->group == NULL || member->is_java || member->name_hash != tc_name_hash(row->name)
               || tc_pools_are_unsettled(&account->pools, member->group)) {
        set_group(member, tc_is_agents_thread(row->name) ? pool(account, row->name)
                                                         : account->of_jvm[tc_kind_of_jvm_thread(row->name)]);
        member->is_java = false;
        member->name_hash = tc_name_hash(row->name);
    }
    member->counted_id = member->java.id;
}

static void count(struct tc_account *account, void *of, const struct threadclock_thread_row *row,
                  struct member *member)
{
    find_group(account, of, row, member);
    member->group->threads++;
    count_used(account, member);
    int64_t total_ns = member->used.total_ns;
    if (total_ns == member->total_at_wait_ns)
        return; /* it has not run, so none of its waits has ended */
    int64_t waited_ns = account->source->waited_ns(of, row->tid, row->times.total_ns);
    if (waited_ns < 0)
        return;
    account->counts_waits = true;
    member->group->waited_ns += tc_most(0, waited_ns - member->waited_ns);
    member->waited_ns = tc_most(waited_ns, member->waited_ns);
    member->total_at_wait_ns = total_ns;
}

/* Threads among which an ended one may be found. */
struct known {
    struct map by_id, by_tid, attached;
};

static bool know(const struct tc_account *account, struct known *known)
{
    size_t count = account->before.count + account->present.count;
    map_begin(&known->by_id, count);
    map_begin(&known->by_tid, count);
    map_begin(&known->attached, account->present.count);
    bool all = true;
    for (size_t i = 0; i < account->before.count; i++) {
        struct member *member = account->before.members[i];
        all &= map_put(&known->by_id, member->counted_id, member)
               && map_put(&known->by_tid, (uint64_t)member->tid, member);
    }
    for (size_t i = 0; i < account->present.count; i++) {
        struct member *member = account->present.members[i];
        all &= map_put(&known->by_id, member->java.id, member)
               && map_put(member->java.id == 0 ? &known->by_tid : &known->attached, (uint64_t)member->tid,
                          member);
    }
    return all;
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
        raise_to(account, member, user_ns, total_ns);
        count_until(account, member, ended->begun.user_ns, ended->begun.total_ns, member->group);
        count_until(account, member, user_ns, total_ns, ended_group(account, ended));
        return;
    }
    if (member->group != NULL && total_ns <= member->used.total_ns)
        return; /* its row of this pass has all */
    if (member->counted_id != ended->id || !member->is_java || hash != member->name_hash
        || tc_pools_are_unsettled(&account->pools, member->group)) {
        set_group(member, ended_group(account, ended));
        member->is_java = true;
        member->name_hash = hash;
    }
    raise_to(account, member, user_ns, total_ns);
    count_used(account, member);
}

/* A thread that no pass has seen. Null: no memory; its time is then unseen. */
static struct member *new_ended(struct tc_account *account, struct known *known, const struct tc_ended *ended)
{
    struct member *member = calloc(1, sizeof *member);
    if (member == NULL || !map_put(&known->by_tid, (uint64_t)ended->tid, member)) {
        free(member);
        return NULL;
    }
    if (append(&account->extra, member))
        return member;
    map_put(&known->by_tid, (uint64_t)ended->tid, NULL);
    free(member);
    return NULL;
}

/*
 * Counts what ended threads have used since they were last seen. A native thread that detaches from the JVM
 * ends for Java each time, with another id and with all that it has used since its start. So a record belongs
 * to the thread with its id, otherwise to the one that had its TID before this pass, has it in this pass and
 * is native, or had it in an earlier record. A Java thread with another id that has the TID now may be the
 * same thread, too, if it has used more by now; then its row has all. Of a thread that was native so far,
 * because it was starting or not attached, only what it used as a Java thread is its pool's. Where TIDs are
 * reused within a pass, time may be left for the rest, but none is counted twice.
 */
static void count_all_ended(struct tc_account *account, void *of)
{
    struct tc_ended ended;
    struct known known;
    if (!account->source->ended(of, &ended))
        return;
    bool all = know(account, &known);
    do {
        struct member *member = map_get(&known.by_id, ended.id);
        if (member == NULL)
            member = map_get(&known.by_tid, (uint64_t)ended.tid);
        const struct member *now = map_get(&known.attached, (uint64_t)ended.tid);
        if (!all || (member == NULL && now != NULL && now->used.total_ns >= ended.times.total_ns))
            continue;
        if (member == NULL)
            member = new_ended(account, &known, &ended);
        if (member != NULL)
            count_ended(account, member, &ended);
    } while (account->source->ended(of, &ended));
    free(known.by_id.entries);
    free(known.by_tid.entries);
    free(known.attached.entries);
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
 * their time is unseen. Time that is found in neither, for example that of another scheduler's carriers, is
 * not added, because it is counted in their pool.
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
        take(group, &account->of_unseen);
    }
}

/*
 * The process's clock and the threads' are not read at the same moment, so the difference counts only where
 * it exceeds all earlier ones.
 */
static void count_rest(struct tc_account *account, const struct threadclock_times *process)
{
    tc_counter_begin(&account->rest);
    tc_counter_raise(&account->rest, process->user_ns - account->shown_user_ns,
                     process->total_ns - account->shown_total_ns);
    account->of_unseen.user_ns += tc_counter_used_user(&account->rest);
    account->of_unseen.total_ns += tc_counter_used(&account->rest);
}

/* Before they are counted again: all threads, or only those that ran. */
static void forget_numbers_of_threads(struct tc_account *account, bool all)
{
    for (uint32_t i = 0; !all && i < account->ran_count; i++)
        account->present.members[account->ran[i]]->group->threads--;
    for (uint32_t i = 0; i < account->virtual_count; i++)
        account->virtual[i]->threads = 0;
    for (size_t kind = 0; all && kind <= TC_KIND_UNSEEN; kind++)
        if (account->of_jvm[kind] != NULL)
            account->of_jvm[kind]->threads = 0;
}

/* Lists all threads. 0, or a negative errno: nothing has changed. */
static int list_all(struct tc_account *account, void *of)
{
    account->ran_count = 0; /* the rows are overwritten, also if this fails */
    int64_t count_or_error = read_rows(account, of);
    if (count_or_error < 0)
        return (int)count_or_error;
    if (!align(account, (size_t)count_or_error))
        return -ENOMEM;
    account->passes++;
    for (size_t i = 0; i < account->present.count; i++) {
        struct member *member = account->present.members[i];
        bool is_new = member->used.total_ns == 0;
        if (!is_new && account->rows[i].times.total_ns > member->used.total_ns)
            member->ran_at = account->passes;
        if (member->ran_at + LATELY > account->passes && account->ran_count++ < RAN_MAX)
            account->ran[account->ran_count - 1] = (uint32_t)i;
    }
    return 0;
}

/*
 * The process's clock is read first, so that the rest never includes what a listed thread uses during the
 * pass. Ended threads are taken after the listing: one that is in neither has not begun. Groups of virtual
 * threads are read last: what they use in between is found with their carriers in the next pass, and has not
 * gone to another group by then.
 */
int tc_account_pass(struct tc_account *account, void *of)
{
    const struct tc_account_source *source = account->source;
    struct threadclock_times process;
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    bool all = !read_those_that_ran(account, of);
    bool is_process_known = all && source->process(of, &process) == 0;
    int error = all ? list_all(account, of) : 0;
    if (error != 0)
        return error;
    size_t threads = all ? account->present.count : account->ran_count;
    for (size_t i = 0; i < threads; i++) {
        size_t row = all ? i : account->ran[i];
        struct member *member = account->present.members[row];
        tc_counter_begin(&member->used);
        raise_to(account, member, account->rows[row].times.user_ns, account->rows[row].times.total_ns);
    }
    if (all)
        find_java_threads(account, of);
    uint32_t group_count = source->virtual_groups(of, groups);
    tc_pools_pass(&account->pools, source->now_ns(of), all);
    forget_numbers_of_threads(account, all);
    if (all)
        count_all_ended(account, of);
    for (size_t i = 0; i < threads; i++) {
        size_t row = all ? i : account->ran[i];
        count(account, of, &account->rows[row], account->present.members[row]);
    }
    if (is_process_known)
        count_rest(account, &process);
    count_virtual(account, groups, group_count);
    give(&account->of_carriers, account->of_jvm[TC_KIND_CARRIER], account->of_carriers.user_ns,
         account->of_carriers.total_ns);
    give(&account->of_unseen, account->of_jvm[TC_KIND_UNSEEN], account->of_unseen.user_ns,
         account->of_unseen.total_ns);
    if (all)
        free_gone(account, of);
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
    account->passes = LATELY;
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
    for (size_t i = 0; i < account->present.count; i++)
        free_member(account, of, account->present.members[i]);
    for (size_t kind = 0; kind <= TC_KIND_UNSEEN; kind++)
        free(account->of_jvm[kind]);
    for (uint32_t i = 0; i < account->virtual_count; i++)
        free(account->virtual[i]);
    tc_pools_end(&account->pools);
    free(account->present.members);
    free(account->before.members);
    free(account->extra.members);
    free(account->rows);
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

size_t tc_account_java_ids(const struct tc_account *account, uint64_t *ids, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < account->present.count; i++) {
        uint64_t id = account->present.members[i]->java.id;
        if (id != 0 && count < room)
            ids[count] = id;
        count += id != 0;
    }
    return count;
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
