/* SPDX-License-Identifier: Apache-2.0 */
/* How the loads find the ticks and stay in user mode or in the kernel. */
#include "loads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "threadclock.h"

void fail_in_any_thread(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec ts;
    assert_in_any_thread(clock_gettime(clock, &ts) == 0);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void sleep_ns(long ns)
{
    struct timespec pause = {0, ns};
    nanosleep(&pause, NULL);
}

int64_t monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t thread_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void spin_until(int64_t when_monotonic_ns)
{
    while (monotonic_ns() < when_monotonic_ns) {
    }
}

void burn_user_ns(int64_t ns)
{
    int64_t start = thread_cpu_ns();
    while (thread_cpu_ns() - start < ns)
        spin_until(monotonic_ns() + 100000); /* the vDSO clock: user mode, but for one call in 100 us */
}

void spin_past_a_tick(int64_t ns)
{
    int64_t before_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
    spin_until(monotonic_ns() + ns);
    while (clock_ns(CLOCK_MONOTONIC_COARSE) == before_ns) {
    }
}

void burn_system_ns(int64_t ns)
{
    static char zeros[1 << 20];
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_in_any_thread(file >= 0);
    int64_t start = thread_cpu_ns();
    while (thread_cpu_ns() - start < ns)
        /* Not read(): sanitizers check the whole buffer, in user mode. */
        assert_in_any_thread(syscall(SYS_read, file, zeros, sizeof zeros) > 0 || errno == EINTR);
    close(file);
}

static void sleep_until(int64_t when_monotonic_ns)
{
    struct timespec until = {when_monotonic_ns / NS_PER_S, when_monotonic_ns % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/*
 * Where ticks are: a moment of one, found by the coarse clock. Its stamp is not the time of its tick (it
 * counts whole intervals from the clock's own origin, kernel/time/timekeeping.c), but it changes at the
 * tick. The median of several observations: one may be late, and a CPU that leaves idle updates the clock
 * between ticks.
 */
static void *find_tick(void *found_ns)
{
    enum { LOOKS = 25 };
    int64_t offsets_ns[LOOKS], origin_ns = 0, tick_ns = threadclock_tick_length_ns();
    for (int i = 0; i < LOOKS; i++) {
        int64_t stamp_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
        while (clock_ns(CLOCK_MONOTONIC_COARSE) == stamp_ns) {
        }
        int64_t changed_ns = monotonic_ns();
        if (i == 0)
            origin_ns = changed_ns - tick_ns / 2;
        offsets_ns[i] = (changed_ns - origin_ns) % tick_ns;
    }
    qsort(offsets_ns, LOOKS, sizeof offsets_ns[0], compare_ns);
    *(int64_t *)found_ns = origin_ns + offsets_ns[LOOKS / 2];
    return NULL;
}

/* Another thread looks for it, because it burns a user tick at each look: the load must not have those. */
int64_t tick_moment_ns(void)
{
    int64_t found_ns = 0;
    pthread_t seeker;
    assert_in_any_thread(pthread_create(&seeker, NULL, find_tick, &found_ns) == 0);
    assert_in_any_thread(pthread_join(seeker, NULL) == 0);
    return found_ns;
}

static int64_t next_tick_ns(int64_t tick_ns)
{
    int64_t found_ns = tick_moment_ns(), now_ns = monotonic_ns();
    return now_ns - (now_ns - found_ns) % tick_ns + 2 * tick_ns;
}

static void burn_each_tick(int rounds, int64_t from_ns, int64_t to_ns)
{
    int64_t tick_ns = threadclock_tick_length_ns(), tick = next_tick_ns(tick_ns);
    for (int round = 0; round < rounds; round++, tick += tick_ns) {
        if (monotonic_ns() > tick + from_ns)
            continue; /* late: skip, rather than work at the wrong time */
        sleep_until(tick + from_ns);
        spin_until(tick + to_ns);
    }
}

/* The windows of the probe's TickLoads.java, whose test compares them. */
enum { LEAD_NS = 400000, OVERRUN_NS = 100000, LAG_NS = 300000 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void burn_around_ticks(int rounds)
{
    int64_t tick_ns = threadclock_tick_length_ns();
    burn_each_tick(rounds, -least(LEAD_NS, tick_ns * 2 / 5), least(OVERRUN_NS, tick_ns / 10));
}

void burn_between_ticks(int rounds)
{
    int64_t tick_ns = threadclock_tick_length_ns(), lag_ns = least(LAG_NS, tick_ns * 3 / 10);
    burn_each_tick(rounds, lag_ns, lag_ns + tick_ns * 9 / 20);
}
