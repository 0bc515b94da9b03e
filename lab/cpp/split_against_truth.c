/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each source reports for threads that work only in user mode: only around timer ticks, only between
 * them, or all the time. The reference is the precise run time.
 *
 * How to run: cmake -S lab/cpp -B build/lab-cpp -G Ninja &&
 *     cmake --build build/lab-cpp --target split_against_truth && build/lab-cpp/split_against_truth
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "loads.h"
#include "threadclock.h"

struct reading {
    void (*work)(void);
    int64_t raw_ns;
    struct threadclock_times tick, now, proc;
    int64_t truth_ns;
};

static void around_ticks(void)
{
    burn_around_ticks(500);
}

static void between_ticks(void)
{
    burn_between_ticks(500);
}

static void all_the_time(void)
{
    burn_user_ns(1000 * (int64_t)NS_PER_MS);
}

static void *read_after_work(void *argument)
{
    struct reading *reading = argument;
    reading->work();
    reading->raw_ns = threadclock_user_raw_ns();
    threadclock_proc_times(0, &reading->proc);
    threadclock_times_tick(&reading->tick);
    threadclock_times_now(&reading->now);
    reading->truth_ns = thread_cpu_ns();
    return NULL;
}

static void print(const char *name, int64_t user_ns, int64_t truth_ns)
{
    printf("  %-36s %8.1f ms  %+7.1f %%\n", name, (double)user_ns / NS_PER_MS,
           100.0 * (double)(user_ns - truth_ns) / (double)truth_ns);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*work)(void);
    } works[] = {{"works around ticks", around_ticks},
                 {"works between ticks", between_ticks},
                 {"works all the time", all_the_time}};
    printf("user time of a thread that works in user mode only, tick %lld ns\n",
           (long long)threadclock_tick_length_ns());
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        struct reading reading = {.work = works[i].work};
        pthread_t thread; /* a new thread has no earlier ticks, by which the kernel would scale */
        if (pthread_create(&thread, NULL, read_after_work, &reading) != 0) {
            fputs("no thread can be started\n", stderr);
            return 1;
        }
        pthread_join(thread, NULL);
        printf("%s\n", works[i].name);
        print("truth (CLOCK_THREAD_CPUTIME_ID)", reading.truth_ns, reading.truth_ns);
        print("threadclock, tick", reading.tick.user_ns, reading.truth_ns);
        print("threadclock, now", reading.now.user_ns, reading.truth_ns);
        print("/proc (JDK 8 to 25.0.4)", reading.proc.user_ns, reading.truth_ns);
        print("raw VIRT clock (JDK 25.0.5+, 26, 27)", reading.raw_ns, reading.truth_ns);
    }
    return 0;
}
