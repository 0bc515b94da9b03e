/* SPDX-License-Identifier: Apache-2.0 */
/* Threads to be read by their TIDs: they burn CPU time, sleep until released, and are looked up in a pass. */
#ifndef TC_TEST_SLEEPER_H
#define TC_TEST_SLEEPER_H

#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { ROWS = 20000 };
static struct threadclock_thread_row rows[ROWS];

static inline const struct threadclock_thread_row *row_of(pid_t tid, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (rows[i].tid == tid)
            return &rows[i];
    return NULL;
}

static inline int64_t all_rows(void)
{
    int64_t count = threadclock_all_threads(rows, ROWS);
    assert_true(count > 0 && count <= ROWS);
    return count;
}

/* A thread that has a name, burns CPU time, and stays until it is released. */
struct sleeper {
    pthread_t thread;
    pid_t tid;
    int64_t burn_ns, truth_ns, own_ns;
    char name[16];
    pthread_barrier_t ready, leave;
};

static inline void *sleep_until_let_go(void *argument)
{
    struct sleeper *sleeper = argument;
    sleeper->tid = gettid();
    prctl(PR_SET_NAME, sleeper->name);
    burn_user_ns(sleeper->burn_ns);
    pthread_barrier_wait(&sleeper->ready);
    pthread_barrier_wait(&sleeper->leave);
    sleeper->own_ns = threadclock_total_now_ns();
    return NULL;
}

static inline int64_t kernel_ns(pid_t tid)
{
    clockid_t clock;
    struct threadclock_clockid_parts sched = {tid, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED};
    assert_int_equal(threadclock_clockid_encode(&sched, &clock), 0);
    return threadclock_clock_ns(clock);
}

/* S, R and so on (proc(5)), which follows the name in brackets. */
static inline char state_of(pid_t tid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *stat = fopen(path, "re");
    assert_true(stat != NULL && fgets(line, sizeof line, stat) != NULL);
    fclose(stat);
    return strrchr(line, ')')[2];
}

/* Until it is off its CPU, so that its clock stands still. */
static inline void wait_until_asleep(pid_t tid)
{
    int64_t before_ns, now_ns = kernel_ns(tid);
    do {
        usleep(1000);
        before_ns = now_ns;
        now_ns = kernel_ns(tid);
    } while (state_of(tid) != 'S' || now_ns != before_ns);
}

/* Without waiting for it. 0, or the error: this machine may have a limit on threads. */
static inline int create_sleeper(struct sleeper *sleeper, const char *name, int64_t burn_ns,
                                 void *(*life)(void *))
{
    snprintf(sleeper->name, sizeof sleeper->name, "%s", name);
    sleeper->burn_ns = burn_ns;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&sleeper->ready, NULL, 2);
    pthread_barrier_init(&sleeper->leave, NULL, 2);
    return pthread_create(&sleeper->thread, &attributes, life, sleeper);
}

static inline void start_sleeper(struct sleeper *sleeper, const char *name, int64_t burn_ns)
{
    assert_int_equal(create_sleeper(sleeper, name, burn_ns, sleep_until_let_go), 0);
    pthread_barrier_wait(&sleeper->ready);
    if (burn_ns > 0)
        wait_until_asleep(sleeper->tid);
}

static inline void end_sleeper(struct sleeper *sleeper)
{
    pthread_barrier_wait(&sleeper->leave);
    assert_int_equal(pthread_join(sleeper->thread, NULL), 0);
    wait_until_released(sleeper->tid);
}

#endif
