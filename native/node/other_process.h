/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another process, and its account by /proc alone: what any user may read, where /proc is not mounted with
 * hidepid. Knows names of 15 bytes; every thread that has none of HotSpot's names counts as a Java thread.
 */
#ifndef TC_OTHER_PROCESS_H
#define TC_OTHER_PROCESS_H

#include "account.h"
#include "metrics.h"
#include "throttling.h"

/*
 * Threads that are kept, of one process and of all: a program can have any number. The time of the others is
 * unseen.
 */
enum { OTHER_THREADS_MAX = 4096, OTHER_THREADS_OF_ALL_MAX = 50000 };

struct other_thread {
    pid_t tid;
    bool is_listed, is_read, is_gone; /* in this pass */
    uint8_t reads, idle_reads;        /* since it started, and since it ran; they stop at their limits */
    char name[16];
    uint64_t serial, inode, start; /* start: field 22 of its stat file */
    int64_t ran_ns, split_ns;      /* its run time, and that at which its split was read */
    int64_t waited_ns;             /* or a negative errno */
    struct threadclock_times times;  /* without what is missed */
    struct threadclock_times missed; /* what it had used when passes before had not seen it */
};

struct other_process {
    pid_t pid;
    int folder; /* of /proc: stays this process's when its PID is another's */
    char groups_file[40];
    uint64_t start, serials;
    int64_t passed_ns; /* CLOCK_BOOTTIME; 0: no pass yet */
    int64_t clock_ns, shown_ns; /* what it has used, and its threads as far as read */
    int64_t rest_ns;            /* the difference when all were read */
    struct tc_account *account;
    struct tc_throttling throttling;
    struct other_thread *threads; /* by TID */
    uint32_t count, capacity;
    uint32_t *of_all; /* threads kept of all processes */
    char *labels;     /* as in a row of metrics; the caller's, freed with the process */

    /* The caller's too: what the agent in it reports. */
    bool is_chosen;              /* to be attached to */
    bool has_answered;           /* in time for the last reading */
    bool is_passed;              /* its threads were read for the last reading */
    struct agent_channel *agent; /* null: none */
    char *agent_labels;
};

/*
 * True if a thread of this process has the name of HotSpot's VM thread. Reads at most some hundred names,
 * and no more than are left.
 */
TC_INTERNAL bool other_process_is_jvm(pid_t pid, uint32_t *names_left);

/* A new one; null: it is gone, or there is no memory or no descriptor. */
TC_INTERNAL struct other_process *other_process_open(pid_t pid, uint32_t *of_all);

/* Reads all threads. 0; -ESRCH: it has ended; or another negative errno: nothing has changed. */
TC_INTERNAL int other_process_pass(struct other_process *process);

/* Reads only its throttling; the next pass makes up for its threads. 0, or -ESRCH: it has ended. */
TC_INTERNAL int other_process_read_throttling(struct other_process *process);

/*
 * The first size - 1 bytes of a file in its folder, with a zero byte after them; their number, or -errno.
 * If the process's file is empty, because its first thread has ended, reads another thread's.
 */
TC_INTERNAL long other_process_read(const struct other_process *process, const char *file, char *text,
                                    size_t size);

TC_INTERNAL void other_process_close(struct other_process *process);

#endif
