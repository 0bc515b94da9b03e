/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roster of a process: one row for each thread, with what it has used in all and since it was last read,
 * and which Java thread it is; and the rest, which the process used and no thread showed. So the rows and the
 * rest follow the process's clock, and no time counts twice. A pass allocates for new and ended threads only.
 * It knows no JVM: what it asks is in a table of functions. For one thread at a time.
 */
#ifndef TC_ROSTER_H
#define TC_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "counter.h"
#include "sys.h"
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

/* A thread. Readers that keep more of it begin their struct with this one. */
struct tc_thread {
    struct tc_counter used;
    uint64_t serial; /* of one that no pass has seen: above all others */
    pid_t tid;
    struct tc_java java; /* one that has left the JVM is native until it attaches again, with a greater id */
    uint64_t id_before;                 /* its Java id after the last pass */
    uint64_t ended_id;                  /* its last Java thread that has ended; 0: none */
    int64_t ended_ns;                   /* its total at that end */
    struct threadclock_thread_row *row; /* valid in a pass that has read it */
    int64_t waited_ns, total_at_wait_ns;
    uint64_t ran_at; /* the last pass over all that found that it had run; 0: none */
};

/* Where a roster gets its numbers; of is passed to each. */
struct tc_roster_source {
    int (*process)(void *of, struct threadclock_times *times);
    int64_t (*threads)(void *of, struct threadclock_thread_row *rows, size_t capacity);

    /* The process's total; -1: all are to be listed, because it may have others, or more is known of them. */
    int64_t (*same_threads_ns)(void *of, size_t threads);

    /* Reads the times of a thread of the last listing. False: it has ended, or cannot be read. */
    bool (*read_again)(void *of, struct threadclock_thread_row *row);

    int64_t (*waited_ns)(void *of, pid_t tid, int64_t ran_ns);

    /* After the threads were read: whether something new is known of this one. An id of 0: it has left. */
    bool (*java)(void *of, const struct tc_thread *thread, struct tc_java *java);

    /* The thread is gone, or another Java thread is known of its row. */
    void (*forget)(void *of, struct tc_java *java);

    /* Takes the next thread that has ended, in the order of their ends. False: there is none. */
    bool (*ended)(void *of, struct tc_ended *ended);
};

struct tc_threads {
    struct tc_thread **threads;
    size_t count, capacity;
};

/* Threads by a number other than 0; of two with the same number the last one. Open addressing. */
struct tc_thread_map {
    size_t count, mask; /* mask 0: no memory, and nothing is found */
    struct tc_thread_entry {
        uint64_t key;
        struct tc_thread *thread;
    } *entries;
};

enum { TC_RAN_MAX = 256 };

struct tc_roster {
    const struct tc_roster_source *source;
    size_t thread_bytes; /* of the reader's struct */
    void (*gone)(void *reader, struct tc_thread *thread); /* before a thread is freed; or null */
    void *reader;
    int64_t late_ns; /* what sleeping threads may use together before they are read */

    struct tc_counter rest;                /* what the process used and no thread showed */
    int64_t shown_user_ns, shown_total_ns; /* by any thread so far */
    struct tc_threads present, before;     /* of this pass, in the order of the rows, and of the last one */
    struct tc_threads extra;               /* ended threads that no pass has seen */
    uint64_t unseen;                       /* their number so far */
    struct threadclock_thread_row *rows;
    size_t rows_capacity;
    uint64_t passes;                   /* over all threads */
    struct tc_thread *ran[TC_RAN_MAX]; /* those that ran lately */
    uint32_t ran_count;                /* possibly more than ran holds */
    uint32_t passes_to_wait;
    int64_t process_ns; /* the most that the process's clock has shown */

    /* Of a pass. */
    bool all, is_process_known;
    struct threadclock_times process;
    enum { NO_MAPS, MAPS, NO_MEMORY_FOR_MAPS } maps;
    struct tc_thread_map by_id, by_tid, attached; /* among these, an ended one may be found */
};

/* For comparing names. */
TC_INTERNAL uint64_t tc_name_hash(const char *name);

/* The roster is zero. */
TC_INTERNAL void tc_roster_begin(struct tc_roster *roster, const struct tc_roster_source *source,
                                 size_t thread_bytes, void (*gone)(void *reader, struct tc_thread *thread),
                                 void *reader);
TC_INTERNAL void tc_roster_end(struct tc_roster *roster, void *of);

/*
 * Begins a pass: reads the threads. Unless all is wanted, only those that ran lately, if the process's clock
 * shows that the others have not. 0, or a negative errno: they cannot be listed; nothing has changed.
 */
TC_INTERNAL int tc_roster_pass(struct tc_roster *roster, void *of, bool all);

/* Those that this pass has read, by a number below their count. */
TC_INTERNAL size_t tc_roster_count(const struct tc_roster *roster);
TC_INTERNAL struct tc_thread *tc_roster_at(const struct tc_roster *roster, size_t at);

/* How long it has waited for a CPU since its waits were read last; 0 if it has not run; -1: unknown. */
TC_INTERNAL int64_t tc_roster_wait(const struct tc_roster *roster, void *of, struct tc_thread *thread);

/*
 * The thread of the next Java thread that has ended; null: there is none. To be called until then, if all
 * threads were read.
 */
TC_INTERNAL struct tc_thread *tc_roster_ended(struct tc_roster *roster, void *of, struct tc_ended *ended);

/* Raises the times of a thread to a newer reading. */
TC_INTERNAL void tc_roster_raise(struct tc_roster *roster, struct tc_thread *thread, int64_t user_ns,
                                 int64_t total_ns);

/* Ends a pass: the rest, and threads that are gone. */
TC_INTERNAL void tc_roster_finish(struct tc_roster *roster, void *of);

/* Stores the ids of the Java threads that it knows, as far as there is room, and returns their number. */
TC_INTERNAL size_t tc_roster_java_ids(const struct tc_roster *roster, uint64_t *ids, size_t room);

#endif
