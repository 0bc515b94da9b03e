/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of reading all threads of a process once, next to the bare system calls and /proc: prints the
 * median microseconds of a pass as one JSON object.
 *
 *   all_threads [THREADS]
 *
 * One thread in a hundred works a little between passes, the others sleep. Subjects take turns. "bare" is
 * one clock_gettime on the SCHED clock of every thread, from a list that exists already.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "loads.h"
#include "threadclock.h"

enum { ROUNDS = 21, MAX = 30000, SUBJECTS = 4 };

static struct threadclock_thread_row rows[MAX];
static pid_t tids[MAX];
static int tid_count;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t round_begins = PTHREAD_COND_INITIALIZER;
static int round_number;

_Noreturn static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
}

_Noreturn static void *work_each_round(void *unused)
{
    pthread_mutex_lock(&gate);
    for (int seen = round_number;; seen = round_number)
        while (seen == round_number)
            pthread_cond_wait(&round_begins, &gate);
}

static void bare_system_calls(void)
{
    for (int i = 0; i < tid_count; i++)
        threadclock_clock_ns((clockid_t)(~(uint32_t)tids[i] << 3 | 6));
}

static void list_tids(void)
{
    DIR *folder = opendir("/proc/self/task");
    tid_count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.' && tid_count < MAX)
            tids[tid_count++] = atoi(entry->d_name);
    closedir(folder);
}

static void proc_files(void)
{
    struct threadclock_times times;
    list_tids();
    for (int i = 0; i < tid_count; i++)
        threadclock_proc_times(tids[i], &times);
}

static void one_pass(void)
{
    threadclock_all_threads(rows, MAX);
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void one_pass_after_a_start(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, do_nothing, NULL); /* it ends at once, so the list is made again */
    pthread_join(thread, NULL);
    threadclock_all_threads(rows, MAX);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } subjects[SUBJECTS] = {{"bare", bare_system_calls},
                            {"threadclock", one_pass},
                            {"threadclock, a thread having started", one_pass_after_a_start},
                            {"/proc", proc_files}};
    int count = argc > 1 ? atoi(argv[1]) : 10000;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 32 << 10);
    for (int i = 1; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, i % 100 == 0 ? work_each_round : sleep_for_ever, NULL) != 0) {
            fprintf(stderr, "only %d threads can be started here (ulimit -u, cgroup pids.max)\n", i);
            return 1;
        }
    }
    sleep(1);
    list_tids();
    static int64_t ns[SUBJECTS][ROUNDS];
    for (int round = -2; round < ROUNDS; round++) {
        for (int s = 0; s < SUBJECTS; s++) {
            pthread_mutex_lock(&gate);
            round_number++;
            pthread_cond_broadcast(&round_begins);
            pthread_mutex_unlock(&gate);
            usleep(20000);
            int64_t start_ns = monotonic_ns();
            subjects[s].run();
            if (round >= 0)
                ns[s][round] = monotonic_ns() - start_ns;
        }
    }
    for (int s = 0; s < SUBJECTS; s++) {
        qsort(ns[s], ROUNDS, sizeof ns[s][0], compare_ns);
        printf("%s\"%s\": %.1f", s == 0 ? "{" : ", ", subjects[s].name, (double)ns[s][ROUNDS / 2] / 1000);
    }
    printf("}\n");
    return 0;
}
