/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each source reports as user and system time of threads whose work is known: around ticks, between
 * them, pure user, pure system, and mixes; then how old readings are, and whether a value ever decreases.
 *
 *   split loads MILLISECONDS     each load in a thread of its own; the truth is the precise clock
 *   split fresh SECONDS          histograms against the precise clock read just before and just after
 *   split ticks                  length of a tick, and the moment of one by CLOCK_MONOTONIC
 *
 * Prints one JSON object, in nanoseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "loads.h"
#include "threadclock.h"

static int64_t duration_ns, true_user_ns;

static void user(int64_t ns)
{
    int64_t before_ns = thread_cpu_ns();
    burn_user_ns(ns);
    true_user_ns += thread_cpu_ns() - before_ns;
}

static int rounds(void)
{
    return (int)(duration_ns / threadclock_tick_length_ns());
}

static void around_ticks(void)
{
    burn_around_ticks(rounds());
    true_user_ns = thread_cpu_ns();
}

static void between_ticks(void)
{
    burn_between_ticks(rounds());
    true_user_ns = thread_cpu_ns();
}

static void pure_user(void)
{
    user(duration_ns);
}

static void pure_system(void)
{
    burn_system_ns(duration_ns);
}

static void mix(int64_t step_ns)
{
    for (int64_t end_ns = thread_cpu_ns() + duration_ns; thread_cpu_ns() < end_ns;) {
        user(step_ns);
        burn_system_ns(step_ns);
    }
}

static void coarse_mix(void)
{
    mix(3 * NS_PER_MS);
}

static void fine_mix(void)
{
    mix(NS_PER_MS / 10);
}

static const struct load {
    const char *name;
    void (*work)(void);
} loads[] = {{"around ticks", around_ticks}, {"between ticks", between_ticks}, {"user", pure_user},
             {"system", pure_system}, {"mix, 3 ms", coarse_mix}, {"mix, 0.1 ms", fine_mix}};

static void print(const char *source, int64_t user_ns, int64_t system_ns, const char *comma)
{
    printf("%s\"%s\": [%lld, %lld]", comma, source, (long long)user_ns, (long long)system_ns);
}

/* Each value may be older than the next one. The truth about the total comes last. */
struct readings {
    int64_t raw_user_ns, raw_both_ns, total_ns;
    struct threadclock_times proc, tick, now;
};

static struct readings read_all(void)
{
    struct readings all = {.raw_user_ns = threadclock_user_raw_ns(),
                           .raw_both_ns = threadclock_user_system_raw_ns()};
    threadclock_proc_times(0, &all.proc);
    threadclock_times_tick(&all.tick);
    threadclock_times_now(&all.now);
    all.total_ns = thread_cpu_ns();
    return all;
}

static void *run_load(void *argument)
{
    const struct load *load = argument;
    true_user_ns = 0;
    load->work();
    struct readings all = read_all();
    printf("%s\"%s\": {\"user_ns\": %lld, \"total_ns\": %lld, \"readings\": {", load == loads ? "{" : ", ",
           load->name, (long long)true_user_ns, (long long)all.total_ns);
    print("threadclock, tick", all.tick.user_ns, all.tick.system_ns, "");
    print("threadclock, now", all.now.user_ns, all.now.system_ns, ", ");
    print("/proc", all.proc.user_ns, all.proc.system_ns, ", ");
    print("VIRT", all.raw_user_ns, all.raw_both_ns - all.raw_user_ns, ", ");
    printf("}}");
    return NULL;
}

struct watched {
    const char *name;
    int64_t (*read)(void);
    int64_t backward;
    uint64_t behind[BUCKETS]; /* the precise clock before the read, minus the reading: its age */
    uint64_t ahead[BUCKETS];  /* the reading minus the precise clock after it */
};

static void *watch(void *argument)
{
    struct watched *watched = argument;
    int64_t last_ns = 0;
    for (int64_t end_ns = monotonic_ns() + duration_ns; monotonic_ns() < end_ns;) {
        int64_t before_ns = thread_cpu_ns(), reading_ns = watched->read(), after_ns = thread_cpu_ns();
        record(watched->behind, before_ns - reading_ns);
        record(watched->ahead, reading_ns - after_ns);
        watched->backward += reading_ns < last_ns;
        last_ns = reading_ns;
    }
    return NULL;
}

/* A thread of its own: a new one has no earlier ticks, and no reading of one source updates another. */
static void in_thread(void *(*work)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, argument) != 0) {
        fprintf(stderr, "split: no thread can be started\n");
        exit(1);
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static struct watched all[] = {{.name = "tick", .read = threadclock_total_tick_ns},
                                   {.name = "interpolated", .read = threadclock_total_interpolated_ns}};
    if (argc == 3 && strcmp(argv[1], "loads") == 0) {
        duration_ns = atoll(argv[2]) * NS_PER_MS;
        read_all(); /* the first reads of a process take time that is no load's */
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
            in_thread(run_load, (void *)&loads[i]);
        printf("}\n");
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "fresh") == 0) {
        duration_ns = (int64_t)(atof(argv[2]) * 1e9 / 2);
        for (int i = 0; i < 2; i++) {
            in_thread(watch, &all[i]);
            printf("%s\"%s\": {\"backward\": %lld", i == 0 ? "{" : "}, ", all[i].name,
                   (long long)all[i].backward);
            printf(", ");
            print_histogram("behind", all[i].behind);
            printf(", ");
            print_histogram("ahead", all[i].ahead);
        }
        printf("}}\n");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "ticks") == 0) {
        printf("{\"tick_ns\": %lld, \"moment_ns\": %lld}\n", (long long)threadclock_tick_length_ns(),
               (long long)tick_moment_ns());
        return 0;
    }
    fprintf(stderr, "usage: split loads MILLISECONDS | split fresh SECONDS | split ticks\n");
    return 2;
}
