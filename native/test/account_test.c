/* SPDX-License-Identifier: Apache-2.0 */
/* The account of a process whose threads are simulated. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"

enum { ROWS = 1024, POOLS = 3 };

/* A thread, or a group of virtual threads, and what it has used. */
struct row {
    uint64_t serial, id; /* id as a Java thread; a native one has another each time when it is attached */
    pid_t tid;
    char name[40];
    bool is_java, is_of_top_group, is_carrier;
    int64_t user, system, user_attached, total_attached, user_read, system_read, waited;
    int waits_read;
    uint32_t threads;
};

static struct row all[ROWS], *listed[ROWS], *virtual[8], ended[ROWS];
static size_t all_count, listed_count, virtual_count, ended_count, ended_taken;
static int64_t process_user, process_system, now;
static int one_is_read, rows_read;
static void (*meanwhile)(void);
static bool threads_fail, threads_fail_late, threads_may_be_same;
static struct tc_account *account;

static void pass_time(void)
{
    if (one_is_read++ % 2 == 1 && meanwhile != NULL)
        meanwhile();
}

static int64_t fake_now(void *of)
{
    return ++now;
}

static int fake_process(void *of, struct threadclock_times *times)
{
    *times = (struct threadclock_times){process_user, process_system, process_user + process_system};
    return 0;
}

static uint64_t listing;

/* Of what a listing would show, without times. */
static uint64_t listed_hash(void)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < listed_count; i++)
        hash = 31 * hash + listed[i]->serial * 2 + listed[i]->is_java;
    return hash;
}

static int64_t fake_threads(void *of, struct threadclock_thread_row *rows, size_t capacity)
{
    if (threads_fail)
        return -ENOENT;
    if (listed_count > capacity)
        return (int64_t)listed_count;
    pass_time();
    listing = listed_hash();
    for (size_t i = 0; i < listed_count; i++) {
        struct row *row = listed[i];
        rows_read++;
        row->user_read = row->user;
        row->system_read = row->system;
        rows[i] = (struct threadclock_thread_row){.tid = row->tid, .serial = row->serial,
                                                  .times = {row->user, row->system, row->user + row->system}};
        memcpy(rows[i].name, row->name, sizeof rows[i].name - 1);
    }
    return threads_fail_late ? -ENOMEM : (int64_t)listed_count;
}

static int64_t fake_same_threads(void *of, size_t threads)
{
    bool same = threads == listed_count && listing == listed_hash() && ended_taken == ended_count;
    int64_t process_ns = process_user + process_system; /* 0: the test has no such clock */
    return threads_may_be_same && same && process_ns > 0 ? process_ns : -1;
}

static struct row *row_of(pid_t tid)
{
    for (size_t i = 0; i < listed_count; i++)
        if (listed[i]->tid == tid)
            return listed[i];
    return NULL;
}

static bool fake_read_again(void *of, struct threadclock_thread_row *row)
{
    const struct row *fake = row_of(row->tid);
    rows_read++;
    row->times = (struct threadclock_times){fake->user, fake->system, fake->user + fake->system};
    return true;
}

static int64_t fake_waited(void *of, pid_t tid, int64_t ran_ns)
{
    row_of(tid)->waits_read++;
    return row_of(tid)->waited;
}

static uint32_t fake_virtual_groups(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    pass_time();
    for (size_t i = 0; i < virtual_count; i++)
        groups[i] = (struct tc_virtual_group){
            .name = virtual[i]->name, .threads = virtual[i]->threads,
            .times = {virtual[i]->user, virtual[i]->system, virtual[i]->user + virtual[i]->system}};
    return (uint32_t)virtual_count;
}

static bool fake_java(void *of, const struct tc_thread *thread, struct tc_java *java)
{
    struct row *fake = row_of(thread->tid);
    if (fake->is_java)
        *java = (struct tc_java){fake->id, fake, fake->is_of_top_group, fake->is_carrier};
    return fake->is_java;
}

static bool fake_java_name(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES])
{
    snprintf(name, TC_THREAD_NAME_BYTES, "%s", ((struct row *)java->reference)->name);
    return true;
}

static void fake_forget(void *of, struct tc_java *java)
{
}

static bool fake_ended(void *of, struct tc_ended *thread)
{
    if (ended_taken == ended_count)
        return false;
    const struct row *row = &ended[ended_taken++];
    *thread = (struct tc_ended){row->id, row->tid, row->is_carrier,
                                {row->user_attached, 0, row->total_attached},
                                {row->user, row->system, row->user + row->system}, ""};
    snprintf(thread->name, sizeof thread->name, "%s", row->name);
    return true;
}

static const struct tc_roster_source of_roster = {
    fake_process, fake_threads, fake_same_threads, fake_read_again, fake_waited, fake_java, fake_forget,
    fake_ended};
static const struct tc_account_source source = {&of_roster, fake_now, fake_virtual_groups, fake_java_name};

static struct row *new_row(const char *name, bool is_java)
{
    struct row *row = &all[all_count++];
    *row = (struct row){.serial = all_count, .id = all_count, .tid = (pid_t)all_count, .is_java = is_java,
                        .waited = -1};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static struct row *uses(struct row *row, int64_t user, int64_t system)
{
    row->user += user;
    row->system += system;
    return row;
}

static struct row *kernel(const char *name, int64_t user, int64_t system)
{
    return uses(listed[listed_count++] = new_row(name, false), user, system);
}

static struct row *java(const char *name, int64_t user, int64_t system)
{
    return uses(listed[listed_count++] = new_row(name, true), user, system);
}

static struct row *carrier(int64_t user, int64_t system)
{
    struct row *row = java("ForkJoinPool-1-worker-1", user, system);
    row->is_carrier = true;
    return row;
}

static struct row *virtual_group(const char *name, int64_t user, int64_t system)
{
    return uses(virtual[virtual_count++] = new_row(name, false), user, system);
}

static void rename_to(struct row *row, const char *name)
{
    snprintf(row->name, sizeof row->name, "%s", name);
}

static void leave_list(const struct row *row)
{
    size_t kept = 0;
    for (size_t i = 0; i < listed_count; i++)
        if (listed[i] != row)
            listed[kept++] = listed[i];
    listed_count = kept;
}

/* What the JVM reports of its end, or when it detaches from the JVM: its time by now. It stays listed. */
static struct row *reports_end(struct row *row, const char *name)
{
    ended[ended_count] = *row;
    rename_to(&ended[ended_count], name);
    row->id += 100000;
    return &ended[ended_count++];
}

static struct row *ends(struct row *row)
{
    leave_list(row);
    return reports_end(row, row->name);
}

static struct row *attaches(struct row *row)
{
    row->user_attached = row->user;
    row->total_attached = row->user + row->system;
    return row;
}

/* The process's clock shows the sum of all threads that ever were, and nothing else. */
static void in_process(void)
{
    process_user = process_system = 0;
    for (size_t i = 0; i < all_count; i++) {
        bool is_virtual = false;
        for (size_t v = 0; v < virtual_count; v++)
            is_virtual |= virtual[v] == &all[i];
        process_user += is_virtual ? 0 : all[i].user;
        process_system += is_virtual ? 0 : all[i].system;
    }
}

static void read_account(void)
{
    assert_int_equal(tc_account_pass(account, NULL), 0);
}

static void read_in_process(void)
{
    in_process();
    read_account();
}

static const struct tc_group *find_group(enum tc_kind kind, const char *name)
{
    const struct tc_group *groups[TC_GROUPS_MAX];
    uint32_t count = tc_account_groups(account, groups);
    for (uint32_t i = 0; i < count; i++)
        if (groups[i]->kind == kind && (name == NULL || strcmp(groups[i]->name, name) == 0))
            return groups[i];
    return NULL;
}

static const struct tc_group *group(enum tc_kind kind, const char *name)
{
    const struct tc_group *found = find_group(kind, name);
    assert_non_null(found);
    return found;
}

static void assert_times(enum tc_kind kind, const char *name, int64_t user, int64_t system)
{
    assert_int_equal(group(kind, name)->used.user_ns, user);
    assert_int_equal(group(kind, name)->used.total_ns - group(kind, name)->used.user_ns, system);
}

static int64_t waited(enum tc_kind kind, const char *name)
{
    return tc_account_waited_ns(account, group(kind, name));
}

/* The sum of all groups. */
static void assert_sum(int64_t user, int64_t system)
{
    const struct tc_group *groups[TC_GROUPS_MAX];
    uint32_t count = tc_account_groups(account, groups);
    int64_t sum_user = 0, sum_total = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum_user += groups[i]->used.user_ns;
        sum_total += groups[i]->used.total_ns;
    }
    assert_int_equal(sum_user, user);
    assert_int_equal(sum_total - sum_user, system);
}

/* The pools in their order, separated by commas. */
static void assert_pools(const char *expected)
{
    char pools[4096] = "";
    const struct tc_group *groups[TC_GROUPS_MAX];
    uint32_t count = tc_account_groups(account, groups);
    for (uint32_t i = 0; i < count; i++)
        if (groups[i]->kind == TC_KIND_JAVA)
            snprintf(pools + strlen(pools), sizeof pools - strlen(pools), "%s%s", *pools ? "," : "",
                     groups[i]->name);
    assert_string_equal(pools, expected);
}

static void begin_with(uint32_t pools, int64_t idle_ns)
{
    if (account != NULL)
        tc_account_end(account, NULL);
    all_count = listed_count = virtual_count = ended_count = ended_taken = 0;
    process_user = process_system = now = one_is_read = 0;
    meanwhile = NULL;
    threads_fail = threads_fail_late = false;
    threads_may_be_same = true;
    account = tc_account_begin(&source, NULL, pools, idle_ns);
    assert_non_null(account);
}

static int begin(void **state)
{
    begin_with(POOLS, INT64_C(1000000000000));
    return 0;
}

#define ACCOUNT_TEST(name) TEST_WITH(name, begin, NULL)

ACCOUNT_TEST(threads_of_one_pool_are_one_group)
{
    java("http-1", 10, 1);
    java("http-2", 20, 2);
    java("other", 5, 0);
    read_in_process();
    assert_times(TC_KIND_JAVA, "http-*", 30, 3);
    assert_int_equal(group(TC_KIND_JAVA, "http-*")->threads, 2);
    assert_int_equal(waited(TC_KIND_JAVA, "http-*"), -1);
    assert_times(TC_KIND_JAVA, "other", 5, 0);
    assert_times(TC_KIND_UNSEEN, NULL, 0, 0);
    assert_sum(35, 3);
}

ACCOUNT_TEST(the_time_of_an_ended_thread_stays)
{
    struct row *ending = java("job-1", 10, 1);
    java("job-2", 20, 2);
    read_in_process();
    leave_list(ending);
    java("job-3", 100, 0); /* perhaps with the same TID */
    process_user += 104;   /* 4 of them were used by the ended thread after the pass */
    read_account();
    assert_times(TC_KIND_JAVA, "job-*", 130, 3);
    assert_int_equal(group(TC_KIND_JAVA, "job-*")->threads, 2);
    assert_times(TC_KIND_UNSEEN, NULL, 4, 0);
    assert_sum(134, 3);
}

ACCOUNT_TEST(an_ended_threads_time_is_its_pools_up_to_its_end)
{
    struct row *seen = java("job-1", 10, 1), *seen_as_native = kernel("java", 5, 0),
               *ending_carrier = carrier(1, 0);
    read_in_process();
    ends(uses(seen, 3, 1));
    ends(java("job-2", 20, 2)); /* no reading has seen it */
    ends(uses(ending_carrier, 6, 0));
    reports_end(java("job-4", 100, 0), "job-4");   /* still in the listing */
    all[all_count - 1].id -= 100000;
    reports_end(kernel("job-5", 200, 0), "job-5"); /* and no longer known as Java's */
    rename_to(seen_as_native, "job-3");
    ends(uses(seen_as_native, 4, 0));
    in_process();
    process_user += 2; /* after the ends */
    read_account();
    assert_times(TC_KIND_JAVA, "job-*", 337, 4);
    assert_int_equal(group(TC_KIND_JAVA, "job-*")->threads, 2); /* when they were listed */
    assert_times(TC_KIND_NATIVE, NULL, 5, 0);
    assert_times(TC_KIND_CARRIER, NULL, 7, 0);
    assert_times(TC_KIND_UNSEEN, NULL, 2, 0);
    assert_sum(351, 4);
    read_account();
    assert_sum(351, 4);
}

ACCOUNT_TEST(a_thread_that_detaches_from_the_jvm_is_not_counted_twice)
{
    struct row *thread = kernel("native", 10, 0);
    read_account();
    reports_end(attaches(uses(thread, 5, 0)), "native"); /* attached and detached between two readings */
    read_in_process();
    assert_times(TC_KIND_NATIVE, NULL, 15, 0);
    assert_sum(15, 0);
    uses(thread, 1, 0);
    read_in_process();
    assert_times(TC_KIND_NATIVE, NULL, 16, 0);
}

/* Its row has more than it had when it left. */
ACCOUNT_TEST(a_thread_that_has_left_the_jvm_is_native)
{
    struct row *thread = java("callback", 10, 0);
    read_in_process();
    reports_end(uses(thread, 5, 0), "callback");
    uint64_t next_id = thread->id;
    thread->id = ended[0].id; /* the JVM still lists it */
    uses(thread, 7, 1);
    for (int i = 0; i < 2; i++) {
        read_in_process();
        assert_times(TC_KIND_JAVA, "callback", 15, 0);
        assert_times(TC_KIND_NATIVE, NULL, 7 + 4 * i, 1);
        assert_int_equal(group(TC_KIND_JAVA, "callback")->threads, 0);
        assert_int_equal(group(TC_KIND_NATIVE, NULL)->threads, 1);
        uses(thread, 4, 0);
    }
    thread->id = next_id; /* it attaches again */
    read_in_process();
    assert_times(TC_KIND_JAVA, "callback", 19, 0);
    assert_times(TC_KIND_NATIVE, NULL, 11, 1);
}

/* Its ThreadEnd event comes before the kernel's end, which may take long. */
ACCOUNT_TEST(a_thread_that_is_seen_starting_and_ending_is_not_native)
{
    struct row *starting = kernel("java", 5, 0), *attaching = kernel("native", 10, 0);
    read_in_process();
    reports_end(uses(starting, 90, 10), "job-1");
    reports_end(uses(attaches(uses(attaching, 1, 0)), 30, 0), "native");
    reports_end(uses(attaches(uses(attaching, 4, 0)), 20, 5), "native");
    uses(starting, 2, 0);
    uses(attaching, 0, 3);
    read_in_process();
    assert_times(TC_KIND_JAVA, "job-*", 90, 10);
    assert_times(TC_KIND_JAVA, "native", 50, 5);
    assert_times(TC_KIND_NATIVE, NULL, 22, 3);
    assert_sum(162, 18);
    uses(starting, 1, 0);
    read_in_process();
    assert_times(TC_KIND_NATIVE, NULL, 23, 3);
}

ACCOUNT_TEST(the_agents_threads_are_a_pool_of_their_own)
{
    kernel("threadclock-pro", 3, 0);
    kernel("threadc..etheus", 4, 0); /* by new JDKs */
    kernel("threadcount", 1, 0);
    java("threadclock sampler", 5, 0); /* as JVMTI lists it */
    read_in_process();
    assert_times(TC_KIND_JAVA, "threadclock", 12, 0);
    assert_times(TC_KIND_NATIVE, NULL, 1, 0);
}

/* Each time, with another id and with all that it has used since its start. */
ACCOUNT_TEST(a_thread_that_attaches_again_and_again_is_counted_once)
{
    struct row *known = java("callback", 100, 0);
    read_account();
    struct row *between = java("callback", 1000, 0);
    for (int i = 0; i < 3; i++) {
        reports_end(uses(known, 1, 0), "callback");
        reports_end(uses(between, 1, 0), "callback");
    }
    struct row *alive = java("callback", 10, 0);
    reports_end(alive, "callback");
    reports_end(alive, "callback");
    uses(alive, 5, 0);
    leave_list(known);
    leave_list(between); /* the third one is still attached */
    read_in_process();
    assert_times(TC_KIND_JAVA, "callback", 1121, 0);
    assert_sum(1121, 0);
}

static void first_calls_back_twice(void)
{
    for (int i = 0; i < 2; i++)
        reports_end(uses(&all[0], 5, 0), "callback");
}

/* After it was listed for the first time, and before ends are taken. */
ACCOUNT_TEST(a_new_thread_that_leaves_twice_during_a_pass_is_counted_once)
{
    java("callback", 1000, 0);
    meanwhile = first_calls_back_twice;
    read_in_process();
    meanwhile = NULL;
    assert_times(TC_KIND_JAVA, "callback", 1010, 0);
    assert_sum(1010, 0);
}

ACCOUNT_TEST(a_thread_with_an_ended_ones_tid_keeps_its_time)
{
    read_account();
    ends(java("short", 1000, 0));
    struct row *worker = java("worker", 10, 0);
    worker->tid = ended[0].tid;
    read_in_process();
    assert_times(TC_KIND_JAVA, "worker", 10, 0);
    assert_times(TC_KIND_JAVA, "short", 1000, 0);
}

/* Two threads that have ended had the same TID, one after the other. */
ACCOUNT_TEST(an_ended_thread_is_not_taken_for_an_earlier_one_with_its_tid)
{
    read_account();
    struct row *first = java("first", 1000, 0), *second = attaches(uses(java("second", 0, 0), 10, 0));
    second->tid = first->tid;
    ends(first);
    ends(uses(second, 700, 0));
    read_in_process();
    assert_times(TC_KIND_JAVA, "first", 1000, 0);
    assert_times(TC_KIND_JAVA, "second", 710, 0);
}

/* More than the tables of one pass begin with. */
ACCOUNT_TEST(all_of_many_ended_threads_are_counted)
{
    read_account();
    for (int i = 0; i < 900; i++)
        ends(java("short", 1000, 0));
    read_in_process();
    assert_times(TC_KIND_JAVA, "short", 900000, 0);
    assert_sum(900000, 0);
}

ACCOUNT_TEST(a_pool_of_short_threads_keeps_its_place)
{
    for (const char *name = "abcde"; *name; name++)
        ends(java((char[]){*name, '\0'}, 1, 0));
    read_account();
    for (const char *name = "dab"; *name; name++)
        ends(java((char[]){*name, '\0'}, 1, 0));
    read_account();
    assert_pools("a,b,c,(other)");
}

ACCOUNT_TEST(an_empty_pool_does_not_disappear)
{
    struct row *only = java("gone", 7, 0);
    read_in_process();
    leave_list(only);
    read_account();
    assert_times(TC_KIND_JAVA, "gone", 7, 0);
    read_account();
    assert_int_equal(group(TC_KIND_JAVA, "gone")->threads, 0);
}

ACCOUNT_TEST(a_renamed_threads_earlier_time_stays_in_its_old_group)
{
    struct row *thread = java("old", 10, 0);
    read_in_process();
    rename_to(thread, "new");
    uses(thread, 5, 0);
    read_in_process();
    assert_times(TC_KIND_JAVA, "old", 10, 0);
    assert_times(TC_KIND_JAVA, "new", 5, 0);
    assert_sum(15, 0);
}

ACCOUNT_TEST(a_starting_thread_is_native_until_it_is_known)
{
    struct row *thread = kernel("java", 1, 0);
    read_in_process();
    thread->is_java = true;
    rename_to(thread, "worker-1");
    uses(thread, 9, 0);
    read_in_process();
    assert_times(TC_KIND_NATIVE, NULL, 1, 0);
    assert_times(TC_KIND_JAVA, "worker-*", 9, 0);
}

ACCOUNT_TEST(the_kernels_name_may_change_after_the_start)
{
    struct row *thread = kernel("java", 1, 0);
    read_account();
    rename_to(thread, "GC Thread#1");
    uses(thread, 9, 0);
    read_account();
    assert_times(TC_KIND_GC, NULL, 9, 0);
}

ACCOUNT_TEST(a_split_that_differs_from_that_of_the_process_decreases_no_time)
{
    java("a", 60, 40);
    process_user = 50;
    process_system = 70;
    read_account();
    assert_times(TC_KIND_UNSEEN, NULL, 0, 20);
    assert_sum(60, 60);
}

ACCOUNT_TEST(waits_and_names_are_read_only_of_threads_that_have_run)
{
    struct row *busy = java("busy", 10, 0), *idle = java("idle", 10, 0);
    busy->waited = 100;
    idle->waited = 7;
    read_account();
    uses(busy, 1, 0)->waited = 150;
    rename_to(idle, "renamed");
    read_account();
    assert_int_equal(group(TC_KIND_JAVA, "idle")->threads, 1);
    assert_int_equal(waited(TC_KIND_JAVA, "busy"), 150);
    assert_int_equal(waited(TC_KIND_JAVA, "idle"), 7);
    assert_int_equal(busy->waits_read, 2);
    assert_int_equal(idle->waits_read, 1);
    uses(idle, 1, 0);
    read_account();
    assert_times(TC_KIND_JAVA, "renamed", 1, 0);
    rename_to(idle, "ends");
    read_account();
    ends(uses(idle, 5, 0))->id = idle->serial;
    read_account();
    assert_times(TC_KIND_JAVA, "ends", 5, 0);
    assert_int_equal(waited(TC_KIND_UNSEEN, NULL), -1);
}

/* Eight threads that sleep since twenty passes, and one that runs. */
static struct row *idle_but_one(void)
{
    struct row *busy = java("busy", 10, 0);
    for (int i = 0; i < 8; i++)
        java("idle", 10, 0);
    for (int i = 0; i < 20; i++) {
        threads_may_be_same = false;
        uses(busy, 1, 0);
        read_in_process();
    }
    threads_may_be_same = true;
    rows_read = 0;
    return busy;
}

ACCOUNT_TEST(threads_that_sleep_are_read_when_the_process_has_used_more)
{
    struct row *busy = idle_but_one(), *idle = listed[3];
    rename_to(uses(busy, 5, 2), "renamed");
    read_in_process();
    assert_int_equal(rows_read, 1);
    assert_times(TC_KIND_JAVA, "renamed", 5, 2);
    assert_int_equal(group(TC_KIND_JAVA, "renamed")->threads, 1);
    assert_int_equal(group(TC_KIND_JAVA, "busy")->threads, 0);
    assert_int_equal(group(TC_KIND_JAVA, "idle")->threads, 8);
    uses(idle, 1, 1);
    read_in_process();
    assert_true(rows_read > 9);
    assert_times(TC_KIND_JAVA, "idle", 81, 1);
    assert_times(TC_KIND_UNSEEN, NULL, 0, 0);
    assert_int_equal(group(TC_KIND_JAVA, "idle")->threads, 8);
}

ACCOUNT_TEST(what_others_use_while_some_are_read_is_found_later_and_counts_once)
{
    struct row *busy = idle_but_one(), *idle = listed[3];
    in_process();
    uses(idle, 2, 0); /* less than the busy one uses after the process's clock was read */
    uses(busy, 3, 0);
    process_user += 2;
    read_account();
    assert_int_equal(rows_read, 1);
    assert_times(TC_KIND_JAVA, "idle", 80, 0);
    uses(idle, 2, 0);
    read_in_process();
    assert_times(TC_KIND_JAVA, "idle", 84, 0);
    assert_times(TC_KIND_JAVA, "busy", 33, 0);
    assert_times(TC_KIND_UNSEEN, NULL, 0, 0);
}

ACCOUNT_TEST(the_clock_of_a_restored_process_hides_nothing)
{
    struct row *busy = idle_but_one(), *idle = listed[3];
    read_in_process();
    uses(idle, 4, 0);
    process_user = 1; /* it begins again */
    read_account();
    assert_times(TC_KIND_JAVA, "idle", 84, 0);
    assert_times(TC_KIND_JAVA, "busy", busy->user, 0);
}

ACCOUNT_TEST(rows_that_a_failed_listing_has_written_are_not_read_again)
{
    struct row *busy = idle_but_one(), *woken = uses(listed[3], 100, 0);
    for (int i = 0; i < 3; i++)
        read_in_process();
    listed[0] = woken;
    listed[3] = busy;
    threads_fail_late = true;
    threads_may_be_same = false;
    assert_int_equal(tc_account_pass(account, NULL), -ENOMEM);
    threads_fail_late = false;
    threads_may_be_same = true;
    read_in_process();
    assert_times(TC_KIND_JAVA, "busy", 30, 0);
    assert_times(TC_KIND_JAVA, "idle", 180, 0);
}

ACCOUNT_TEST(starts_and_ends_are_found_while_all_sleep)
{
    struct row *busy = idle_but_one();
    struct row *starts = java("starts", 0, 0);
    read_in_process();
    assert_int_equal(group(TC_KIND_JAVA, "starts")->threads, 1);
    ends(uses(starts, 3, 0));
    read_in_process();
    assert_times(TC_KIND_JAVA, "starts", 3, 0);
    assert_int_equal(group(TC_KIND_JAVA, "starts")->threads, 0);
    assert_times(TC_KIND_JAVA, "busy", busy->user, 0);
}

ACCOUNT_TEST(a_wait_that_cannot_be_read_is_read_later)
{
    struct row *thread = java("a", 10, 0);
    thread->waited = 100;
    read_account();
    uses(thread, 1, 0)->waited = -1;
    read_account();
    assert_int_equal(waited(TC_KIND_JAVA, "a"), 100);
    thread->waited = 120;
    read_account();
    assert_int_equal(waited(TC_KIND_JAVA, "a"), 120);
}

ACCOUNT_TEST(virtual_threads_are_not_counted_twice)
{
    struct row *of_jvm = carrier(100, 10);
    virtual_group("request-*", 60, 5)->threads = 7;
    struct row *query = virtual_group("query", 20, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "request-*", 60, 5);
    assert_int_equal(group(TC_KIND_VIRTUAL, "request-*")->threads, 7);
    assert_int_equal(waited(TC_KIND_VIRTUAL, "request-*"), -1);
    assert_times(TC_KIND_VIRTUAL, "query", 20, 0);
    assert_times(TC_KIND_CARRIER, NULL, 20, 5);
    assert_int_equal(group(TC_KIND_CARRIER, NULL)->threads, 1);
    assert_sum(100, 10);
    uses(of_jvm, 8, 0);
    uses(query, 7, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "query", 27, 0);
    assert_times(TC_KIND_CARRIER, NULL, 21, 5);
    assert_sum(108, 10);
}

ACCOUNT_TEST(a_group_that_is_ahead_of_its_carriers_waits_for_them)
{
    struct row *of_jvm = carrier(10, 0);
    virtual_group("v", 15, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", 10, 0);
    assert_times(TC_KIND_CARRIER, NULL, 0, 0);
    uses(of_jvm, 20, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", 15, 0);
    assert_times(TC_KIND_CARRIER, NULL, 15, 0);
    assert_sum(30, 0);
}

static struct row *of_both[2];
static int64_t during_pass;

static void both_use(void)
{
    uses(of_both[0], during_pass, 0);
    uses(of_both[1], during_pass, 0);
}

ACCOUNT_TEST(all_time_of_a_group_is_found_however_long_passes_take)
{
    static const int64_t during[] = {5, 50, 0, 1, 700, 0, 0, 3, 20, 0};
    of_both[0] = carrier(0, 0);
    of_both[1] = virtual_group("v", 0, 0);
    for (size_t i = 0; i < sizeof during / sizeof *during; i++) {
        uses(of_both[0], 10, 0);
        uses(of_both[1], 10, 0);
        during_pass = during[i];
        meanwhile = both_use;
        read_in_process();
    }
    meanwhile = NULL;
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", of_both[1]->user, 0);
}

ACCOUNT_TEST(virtual_threads_of_ended_carriers_are_not_unseen)
{
    carrier(10, 0);
    virtual_group("v", 50, 5);
    process_user = 70;
    process_system = 7;
    read_account();
    assert_times(TC_KIND_VIRTUAL, "v", 50, 5);
    assert_times(TC_KIND_UNSEEN, NULL, 20, 2);
    assert_sum(70, 7);
}

ACCOUNT_TEST(another_schedulers_carriers_are_a_pool)
{
    java("mine-1", 50, 0);
    virtual_group("v", 40, 0);
    read_in_process();
    assert_times(TC_KIND_JAVA, "mine-*", 50, 0);
    assert_times(TC_KIND_VIRTUAL, "v", 0, 0);
    assert_sum(50, 0);
}

ACCOUNT_TEST(what_ended_on_another_schedulers_carriers_stays_unseen)
{
    java("mine-1", 50, 0);
    virtual_group("v", 40, 0);
    process_user = 70;
    read_account();
    assert_times(TC_KIND_VIRTUAL, "v", 0, 0);
    assert_times(TC_KIND_UNSEEN, NULL, 20, 0);
    assert_sum(70, 0);
}

ACCOUNT_TEST(time_on_another_schedulers_carriers_is_not_taken_from_the_jvms_later)
{
    java("mine-1", 50, 0);
    virtual_group("v", 40, 0);
    struct row *of_jvm = carrier(0, 0);
    read_in_process();
    read_account();
    uses(of_jvm, 30, 0);
    virtual_group("w", 25, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", 0, 0);
    assert_times(TC_KIND_VIRTUAL, "w", 25, 0);
    assert_times(TC_KIND_CARRIER, NULL, 5, 0);
    assert_sum(80, 0);
}

ACCOUNT_TEST(a_group_split_differently_than_its_carriers_decreases_no_time)
{
    struct row *of_jvm = carrier(10, 90), *v = virtual_group("v", 80, 0);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", 10, 70);
    assert_times(TC_KIND_CARRIER, NULL, 0, 20);
    uses(of_jvm, 100, 0);
    uses(v, 0, 30);
    read_in_process();
    assert_times(TC_KIND_VIRTUAL, "v", 40, 70);
    assert_sum(110, 90);
}

ACCOUNT_TEST(pools_above_the_limit_share_one)
{
    for (const char *name = "abc"; *name; name++)
        java((char[]){*name, '\0'}, 1, 0);
    read_account();
    assert_false(tc_account_is_overfull(account));
    java("d", 1, 0);
    java("e", 1, 0);
    read_in_process();
    assert_pools("a,b,c,(other)");
    assert_times(TC_KIND_JAVA, "(other)", 2, 0);
    assert_sum(5, 0);
    assert_true(tc_account_is_overfull(account));
}

ACCOUNT_TEST(a_pool_without_threads_gives_its_place_and_leaves_its_time)
{
    struct row *first = java("first", 7, 1);
    first->waited = 3;
    java("a", 1, 0);
    java("b", 1, 0);
    read_in_process();
    leave_list(first);
    read_account();
    uint64_t changes = tc_account_changes(account);
    struct row *next = java("next", 5, 0);
    read_in_process();
    assert_pools("a,b,(past pools),next");
    assert_int_not_equal(tc_account_changes(account), changes);
    assert_times(TC_KIND_JAVA, "(past pools)", 7, 1);
    assert_int_equal(waited(TC_KIND_JAVA, "(past pools)"), 3);
    assert_int_equal(group(TC_KIND_JAVA, "(past pools)")->threads, 0);
    assert_sum(14, 1);
    leave_list(next);
    read_account();
    java("first", 100, 0);
    read_in_process();
    assert_pools("a,b,(past pools),first");
    assert_times(TC_KIND_JAVA, "first", 100, 0);
    assert_times(TC_KIND_JAVA, "(past pools)", 12, 1);
    assert_int_equal(group(TC_KIND_JAVA, "first")->threads, 1);
    assert_sum(114, 1);
}

/* Hundreds of pools come and go: what is shown adds up, and what stays never decreases. */
ACCOUNT_TEST(the_groups_add_up_however_many_pools_have_lived)
{
    int64_t past_user = 0, past_system = 0;
    for (int i = 0; i < 300; i++) {
        char name[] = {'p', '-', (char)('a' + i % 26), (char)('a' + i / 26), '\0'};
        ends(java(name, 50, i % 3));
        read_in_process();
        assert_sum(process_user, process_system);
        const struct tc_group *past = find_group(TC_KIND_JAVA, "(past pools)");
        if (past == NULL)
            continue;
        assert_true(past->used.user_ns >= past_user);
        assert_true(past->used.total_ns - past->used.user_ns >= past_system);
        past_user = past->used.user_ns;
        past_system = past->used.total_ns - past_user;
    }
    assert_true(past_user > 0);
}

/* The listing may have a new thread before those of the pools that have the places. */
ACCOUNT_TEST(a_pool_whose_threads_come_later_in_a_pass_keeps_its_place)
{
    for (const char *name = "abc"; *name; name++)
        java((char[]){*name, '\0'}, 1, 0);
    read_account();
    struct row *next = java("next", 5, 0);
    memmove(&listed[1], &listed[0], 3 * sizeof *listed);
    listed[0] = next;
    read_account();
    assert_pools("a,b,c,(other)");
    assert_times(TC_KIND_JAVA, "(other)", 5, 0);
}

TEST(an_idle_pool_gives_its_place_to_one_that_works)
{
    begin_with(2, 0);
    struct row *idle = java("idle", 1, 0), *busy = java("busy", 1, 0);
    read_account();
    java("next", 1, 0);
    uses(busy, 1, 0);
    read_account();
    assert_pools("busy,(past pools),next");
    uses(idle, 10, 0);
    uses(busy, 1, 0);
    read_account();
    assert_pools("(past pools),idle,busy");
    assert_times(TC_KIND_JAVA, "idle", 10, 0);
    assert_int_equal(group(TC_KIND_JAVA, "idle")->threads, 1);
}

ACCOUNT_TEST(a_thread_of_the_common_pool_gets_a_place_when_there_is_one)
{
    java("a", 1, 0);
    struct row *ending = java("b", 1, 0);
    java("c", 1, 0);
    struct row *late = java("late", 1, 0);
    read_in_process();
    assert_pools("a,b,c,(other)");
    leave_list(ending);
    read_account();
    uses(late, 10, 0);
    read_in_process();
    assert_pools("a,c,(other),(past pools),late");
    assert_times(TC_KIND_JAVA, "late", 10, 0);
    assert_times(TC_KIND_JAVA, "(other)", 1, 0);
    assert_sum(14, 0);
}

ACCOUNT_TEST(threads_named_like_a_common_pool_are_in_the_common_pool)
{
    java("(other)", 1, 0);
    java("(past pools)", 2, 0);
    for (int i = 0; i < 4; i++)
        java((const char *[]){"a", "b", "c", "d"}[i], 1, 0);
    read_in_process();
    assert_pools("(other),a,b,c");
    assert_times(TC_KIND_JAVA, "(other)", 4, 0);
    assert_sum(7, 0);
}

ACCOUNT_TEST(a_java_thread_with_the_name_of_a_jvm_thread_is_java)
{
    java("GC Thread#0", 1, 0);
    java("C2 CompilerThread0", 2, 0)->is_of_top_group = true;
    read_account();
    assert_times(TC_KIND_JAVA, "GC Thread#*", 1, 0);
    assert_times(TC_KIND_JIT, NULL, 2, 0);
}

ACCOUNT_TEST(a_pass_that_fails_changes_nothing)
{
    struct row *thread = java("a", 10, 0);
    read_in_process();
    threads_fail = true;
    ends(uses(thread, 5, 0));
    assert_int_equal(tc_account_pass(account, NULL), -ENOENT);
    assert_times(TC_KIND_JAVA, "a", 10, 0);
    threads_fail = false;
    read_in_process();
    assert_times(TC_KIND_JAVA, "a", 15, 0);
    assert_sum(15, 0);
}

/* The kernel's names of HotSpot's threads, as JDK 8 to 28 showed them with each collector. */
TEST(each_name_of_a_jvm_thread_has_its_kind)
{
    static const struct {
        enum tc_kind kind;
        const char *names;
    } of[] = {
        {TC_KIND_GC, "GC Thread#0|GC task thread#|ParGC Thread#0|Gang worker#0 (|G1 Conc#0|G1 Concurrent R|"
                "G1 Main Concurr|G1 Main Marker|G1 Refine#0|G1 Refi..ontrol|G1 Service|G1 Young RemSet|"
                "StrDedup|StringDedupProc|StringDedupThre|StringD..Thread|String Deduplic|"
                "CMS Main Thread|Concurrent Mark|Shenandoah Cont|Shenandoah GC T|ShenandoahContr|"
                "ShenControl|ShenUncommit|ShenWorker#0|ZDirector|ZDriver|ZDriverMajor|ZDriverMinor|"
                "ZStat|ZUncommitter#0|ZUnmapper|ZWorker#0|ZWorkerOld#0|ZWorkerYoung#0|XDirector|"
                "XWorker#0"},
        {TC_KIND_JIT, "C1 CompilerThre|C2 CompilerThre|C1 Comp..hread0|C2 Comp..hread0|C2 CompilerThread0|"
                 "JVMCI CompilerT"},
        {TC_KIND_JVM, "VM Thread|VM Periodic Tas|VM Peri..Thread|Signal Dispatch|Signal ..atcher|"
                 "Signal Dispatcher|Service Thread|Monitor Deflati|Monitor..Thread|Notification Th|"
                 "Notific..Thread|Notification Thread|Sweeper thread|Surrogate Locke|Attach Listener|"
                 "RuntimeWorker#0"},
        {TC_KIND_NATIVE, "java||my-native-threa|ZeroMQ|GCM|Finalizer|Shop|Signal 7"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char names[2048], *next = names, *name;
        snprintf(names, sizeof names, "%s", of[i].names);
        while ((name = strsep(&next, "|")) != NULL)
            assert_int_equal(tc_kind_of_jvm_thread(name), of[i].kind);
    }
}

static void assert_used(const struct tc_counter *counter, int64_t user, int64_t system)
{
    assert_int_equal(tc_counter_used_user(counter), user);
    assert_int_equal(tc_counter_used(counter), user + system);
}

TEST(an_interval_has_what_was_used_in_it)
{
    struct tc_counter counter = {0};
    static const int64_t readings[][4] = {{100, 120, 100, 20}, {400, 430, 300, 10}, {400, 430, 0, 0}};
    for (int i = 0; i < 3; i++) {
        tc_counter_begin(&counter);
        tc_counter_raise(&counter, readings[i][0], readings[i][1]);
        assert_used(&counter, readings[i][2], readings[i][3]);
    }
}

/* The rest does not decrease when the threads are ahead of the process's clock. */
ACCOUNT_TEST(the_rest_is_what_exceeds_all_earlier_ones)
{
    struct row *thread = java("a", 0, 400);
    process_system = 1000;
    read_account();
    assert_times(TC_KIND_UNSEEN, NULL, 0, 600);
    uses(thread, 0, 10);
    process_system = 1005;
    read_account();
    assert_times(TC_KIND_UNSEEN, NULL, 0, 600);
    process_system = 1012;
    read_account();
    assert_times(TC_KIND_UNSEEN, NULL, 0, 602);
}

TEST(any_sequence_of_readings_has_times_that_add_up_and_do_not_decrease)
{
    struct tc_counter counter = {0};
    srand(1);
    for (int i = 0; i < 10000; i++) {
        struct tc_counter before = counter;
        if (i % 3 == 0)
            tc_counter_begin_at(&counter, rand() % 20000 - 100, rand() % 20000 - 100);
        else
            tc_counter_raise(&counter, rand() % 20000 - 100, rand() % 20000 - 100);
        assert_true(counter.user_ns >= before.user_ns && counter.total_ns >= before.total_ns);
        assert_true(counter.total_ns - counter.user_ns >= before.total_ns - before.user_ns);
        assert_true(counter.user_before_ns >= before.user_before_ns);
        assert_true(tc_counter_used_user(&counter) >= 0);
        assert_true(tc_counter_used_user(&counter) <= tc_counter_used(&counter));
    }
}
