/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of the calling thread, with each source of its CPU time and the baselines beside them.
 *
 *   reads cost MILLISECONDS [SOURCE...]              median ns of a read: {"tick": 4.7, ...}
 *   reads latency SECONDS MAPPERS [SOURCE...]        histograms of single reads: {"tick": [[ns, count], ...]}
 *   reads count READS SOURCE...                      does this number of reads, for tools that count
 *   reads clocks                                     which clocks exist, and what threadclock chooses
 *
 * The first three are one measurement in three forms, so they share the sources. Without names, all sources.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"
#include "threadclock.h"

enum { ROUNDS = 10001, MAPPED_BYTES = 1 << 20 };

static const int64_t BLOCK_NS = 50000, SLICE_NS = 20000000;

static int64_t clock_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t nothing(void)
{
    __asm__ volatile("");
    return 0;
}

static int64_t monotonic(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static int64_t coarse(void)
{
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

static int64_t bare_system_call(void)
{
    return syscall(SYS_getppid);
}

static int64_t thread_cputime(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int64_t rusage_user(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (int64_t)usage.ru_utime.tv_sec * 1000000000 + usage.ru_utime.tv_usec * 1000;
}

static int64_t triple(void)
{
    struct threadclock_times times;
    return threadclock_times_tick(&times) == 0 ? times.user_ns + times.total_ns : -1;
}

static int64_t proc_user(void)
{
    struct threadclock_times times;
    return threadclock_proc_times(0, &times) == 0 ? times.user_ns : -1;
}

/* The published experiment on the kernel's allocations, and the control of ours. */
static int64_t one_byte(void)
{
    char byte = 0;
    int file = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
    int64_t got = read(file, &byte, 1);
    close(file);
    return got;
}

static clockid_t own_clock(enum threadclock_clock which)
{
    struct threadclock_clockid_parts parts = {(pid_t)syscall(SYS_gettid), THREADCLOCK_SCOPE_THREAD, which};
    clockid_t clock = 0;
    threadclock_clockid_encode(&parts, &clock);
    return clock;
}

/* As OpenJDK 26 does it: the kernel looks the TID up. */
static int64_t virt_by_tid(void)
{
    static __thread clockid_t clock;
    if (clock == 0)
        clock = own_clock(THREADCLOCK_CLOCK_VIRT);
    return clock_ns(clock);
}

static int64_t sched_by_tid(void)
{
    static __thread clockid_t clock;
    if (clock == 0)
        clock = own_clock(THREADCLOCK_CLOCK_SCHED);
    return clock_ns(clock);
}

static const struct source {
    const char *name; /* at most 12 characters: it becomes part of a thread's name */
    int64_t (*read)(void);
} sources[] = {
    {"null", nothing},
    {"coarse", coarse},
    {"monotonic", monotonic},
    {"getppid", bare_system_call},
    {"tick", threadclock_user_tick_ns},
    {"system_tick", threadclock_system_tick_ns},
    {"total_tick", threadclock_total_tick_ns},
    {"triple", triple},
    {"interpolated", threadclock_total_interpolated_ns},
    {"virt_pid0", threadclock_user_raw_ns},
    {"virt_tid", virt_by_tid},
    {"sched", thread_cputime},
    {"sched_tid", sched_by_tid},
    {"total_now", threadclock_total_now_ns},
    {"rusage", rusage_user},
    {"now", threadclock_user_now_ns},
    {"proc", proc_user},
    {"one_byte", one_byte},
};

enum { SOURCES = sizeof sources / sizeof *sources };

static const struct source *chosen[SOURCES];
static int chosen_count;

static bool choose(char **names, int count)
{
    for (int i = 0; i < (count > 0 ? count : SOURCES) && chosen_count < SOURCES; i++) {
        const struct source *found = count > 0 ? NULL : &sources[i];
        for (int s = 0; found == NULL && s < SOURCES; s++)
            if (strcmp(sources[s].name, names[i]) == 0)
                found = &sources[s];
        if (found == NULL) {
            fprintf(stderr, "reads: no such source: %s\n", names[i]);
            return false;
        }
        chosen[chosen_count++] = found;
    }
    return true;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double block_ns(const struct source *source, int reads)
{
    int64_t sum = 0, start_ns = monotonic();
    for (int i = 0; i < reads; i++)
        sum += source->read();
    __asm__ volatile("" : : "r"(sum));
    return (double)(monotonic() - start_ns) / reads;
}

/* Blocks of all sources alternate, so that noise affects all alike. */
static void cost(int64_t duration_ns)
{
    static double ns[SOURCES][ROUNDS];
    int reads[SOURCES], rounds = 0;
    for (int s = 0; s < chosen_count; s++) {
        block_ns(chosen[s], 10); /* the first read sets up */
        double one_ns = block_ns(chosen[s], 100);
        reads[s] = one_ns > 1 ? 1 + (int)((double)BLOCK_NS / one_ns) : (int)BLOCK_NS;
    }
    for (int64_t end_ns = monotonic() + duration_ns; rounds < ROUNDS && monotonic() < end_ns; rounds++)
        for (int s = 0; s < chosen_count; s++)
            ns[s][rounds] = block_ns(chosen[s], reads[s]);
    for (int s = 0; s < chosen_count; s++) {
        qsort(ns[s], (size_t)rounds, sizeof ns[s][0], by_value);
        printf("%s\"%s\": %.3f", s == 0 ? "{" : ", ", chosen[s]->name, ns[s][rounds / 2]);
    }
    printf("}\n");
}

static uint64_t counts[SOURCES][BUCKETS];

static atomic_bool ended;

static void *map_and_unmap(void *unused)
{
    while (!atomic_load_explicit(&ended, memory_order_relaxed)) {
        void *memory = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        *(volatile char *)memory = 1;
        munmap(memory, MAPPED_BYTES);
    }
    return unused;
}

/* A read is timed with two vDSO clock reads, which every figure includes; "null" shows their cost. */
static void slice(int s)
{
    int64_t end_ns = monotonic() + SLICE_NS;
    for (int64_t before_ns = monotonic(); before_ns < end_ns; before_ns = monotonic()) {
        int64_t value = chosen[s]->read();
        __asm__ volatile("" : : "r"(value));
        record(counts[s], monotonic() - before_ns);
    }
}

static int latency(double seconds, int mappers)
{
    pthread_t threads[64];
    for (int i = 0; i < mappers; i++)
        if (mappers > 64 || pthread_create(&threads[i], NULL, map_and_unmap, NULL) != 0)
            return 1;
    int64_t end_ns = monotonic() + (int64_t)(seconds * 1e9);
    do {
        for (int s = 0; s < chosen_count; s++)
            slice(s);
    } while (monotonic() < end_ns);
    atomic_store(&ended, true);
    for (int i = 0; i < mappers; i++)
        pthread_join(threads[i], NULL);
    for (int s = 0; s < chosen_count; s++) {
        printf(s == 0 ? "{" : ", ");
        print_histogram(chosen[s]->name, counts[s]);
    }
    printf("}\n");
    return 0;
}

/* While the thread reads a source it has the name tc:SOURCE, so that a tracer can tell the reads apart. */
static void count_reads(long reads)
{
    for (int s = 0; s < chosen_count; s++) {
        char name[32];
        block_ns(chosen[s], 1);
        snprintf(name, sizeof name, "tc:%s", chosen[s]->name);
        prctl(PR_SET_NAME, name);
        block_ns(chosen[s], (int)reads);
        prctl(PR_SET_NAME, "reads");
    }
}

static long long resolution_ns(clockid_t clock)
{
    struct timespec ts;
    return clock_getres(clock, &ts) == 0 ? (long long)ts.tv_sec * 1000000000 + ts.tv_nsec : -1;
}

static void clocks(void)
{
    static const char *const quantities[] = {
        [THREADCLOCK_USER] = "user", [THREADCLOCK_SYSTEM] = "system", [THREADCLOCK_TOTAL] = "total"};
    static const char *const freshnesses[] = {
        [THREADCLOCK_TICK] = "tick", [THREADCLOCK_NOW] = "now", [THREADCLOCK_INTERPOLATED] = "interpolated"};
    clockid_t by_libc = 0;
    int error = pthread_getcpuclockid(pthread_self(), &by_libc);
    bool precise = error == 0 && by_libc == own_clock(THREADCLOCK_CLOCK_SCHED);
    printf("{\"getcpuclockid_is_precise\": %s, \"tick_ns\": %lld, \"resolution_ns\": {"
           "\"thread_cputime\": %lld, \"sched\": %lld, \"virt\": %lld, \"prof\": %lld}, \"sources\": {",
           precise ? "true" : "false", (long long)threadclock_tick_length_ns(),
           resolution_ns(CLOCK_THREAD_CPUTIME_ID), resolution_ns(own_clock(THREADCLOCK_CLOCK_SCHED)),
           resolution_ns(own_clock(THREADCLOCK_CLOCK_VIRT)),
           resolution_ns(own_clock(THREADCLOCK_CLOCK_PROF)));
    const char *comma = "";
    for (int f = 0; f < 3; f++)
        for (int q = 0; q < 3; q++) {
            struct threadclock_source source = {0};
            if (threadclock_describe((enum threadclock_quantity)q, (enum threadclock_freshness)f, &source))
                continue; /* only the total is interpolated */
            printf("%s\"%s, %s\": {\"source\": \"%s\", \"system_calls\": %d, \"resolution_ns\": %lld, "
                   "\"age_ns\": %lld}",
                   comma, quantities[q], freshnesses[f], source.name, source.system_calls,
                   (long long)source.resolution_ns, (long long)source.age_ns);
            comma = ", ";
        }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "cost") == 0 && choose(argv + 3, argc - 3))
        cost(atoll(argv[2]) * 1000000);
    else if (argc >= 4 && strcmp(argv[1], "latency") == 0 && choose(argv + 4, argc - 4))
        return latency(atof(argv[2]), atoi(argv[3]));
    else if (argc >= 4 && strcmp(argv[1], "count") == 0 && choose(argv + 3, argc - 3))
        count_reads(atol(argv[2]));
    else if (argc == 2 && strcmp(argv[1], "clocks") == 0)
        clocks();
    else {
        fprintf(stderr, "usage: reads cost|latency|count|clocks ...: see the comment in reads.c\n");
        return 2;
    }
    return 0;
}
