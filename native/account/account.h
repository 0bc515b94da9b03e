/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a process: each pass adds what every thread has used since the last one to its group. So no
 * counted time is lost when a thread ends, and no time decreases when a thread changes its group. A pass
 * allocates for new and ended threads only. It knows no JVM: what it asks is in a table of functions. For one
 * thread at a time.
 */
#ifndef TC_ACCOUNT_H
#define TC_ACCOUNT_H

#include "groups.h"
#include "threadclock.h"
#include "virtual_threads.h"

/* What a JVM knows of a thread; reference is its own. id 0: not a Java thread. */
struct tc_java {
    uint64_t id;
    void *reference;
    bool is_of_top_group; /* the JVM's own threads, and rarely a program's */
    bool is_carrier;
};

/* A Java thread that has ended. */
struct tc_ended {
    uint64_t id;
    pid_t tid;
    bool is_carrier;
    struct threadclock_times begun, times; /* at its beginning as a Java thread, and at its end */
    char name[TC_THREAD_NAME_BYTES];
};

/* Where an account gets its numbers; of is passed to each. */
struct tc_account_source {
    int64_t (*now_ns)(void *of);
    int (*process)(void *of, struct threadclock_times *times);
    int64_t (*threads)(void *of, struct threadclock_thread_row *rows, size_t capacity);

    /* The process's total; -1: all are to be listed, because it may have others, or more is known of them. */
    int64_t (*same_threads_ns)(void *of, size_t threads);

    /* Reads the times of a thread of the last listing. False: it has ended, or cannot be read. */
    bool (*read_again)(void *of, struct threadclock_thread_row *row);

    int64_t (*waited_ns)(void *of, pid_t tid, int64_t ran_ns);
    uint32_t (*virtual_groups)(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

    /* After the threads were read: whether something new is known of this one. */
    bool (*java)(void *of, const struct threadclock_thread_row *row, struct tc_java *java);

    /* The present name of a Java thread; false: it has ended. */
    bool (*java_name)(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES]);

    /* The thread is gone, or another Java thread is known of its row. */
    void (*forget)(void *of, struct tc_java *java);

    /* Takes the next thread that has ended, in the order of their ends. False: there is none. */
    bool (*ended)(void *of, struct tc_ended *ended);
};

struct tc_account;

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

/* Stores the ids of the Java threads that it knows, as far as there is room, and returns their number. */
TC_INTERNAL size_t tc_account_java_ids(const struct tc_account *account, uint64_t *ids, size_t room);

/* For comparing names. */
TC_INTERNAL uint64_t tc_name_hash(const char *name);

/* For how long the group's threads have waited; -1: unknown, or counted for others. */
TC_INTERNAL int64_t tc_account_waited_ns(const struct tc_account *account, const struct tc_group *group);

/* Differs whenever the groups are others than before. */
TC_INTERNAL uint64_t tc_account_changes(const struct tc_account *account);

/* True once pools of threads that work have had no place. */
TC_INTERNAL bool tc_account_is_overfull(const struct tc_account *account);

#endif
