/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpolated total against the kernel's clock: close to it, nothing counted twice or while the thread
 * is off its CPU. operations_test mixes it with all other reads.
 */
#include "seen.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpolated.h"
#include "entries.h"
#include "seccomp.h"
#include "slot.h"

enum { US = 1000, BEHIND_MAX_NS = 20 * US, AHEAD_NS = 100 * US };

enum answer { RIGHT, WRONG, UNSETTLED };

/* Unsettled: the filter took longer to install than the anchor is valid, or a switch happened. */
static enum answer answer_without_system_calls(void)
{
    /* A new process tries it first; the next read sets an anchor. */
    source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED);
    int64_t before_ns = threadclock_total_interpolated_ns();
    if (DENY(EPERM, SYS_clock_gettime, SYS_getrusage, SYS_openat) != 0)
        return WRONG;
    int64_t after_ns = threadclock_total_interpolated_ns();
    if (after_ns == -EPERM)
        return UNSETTLED;
    for (int64_t end_ns = monotonic_ns() + 2 * TC_WINDOW_NS; monotonic_ns() < end_ns;) {
    }
    bool right = after_ns > before_ns && after_ns < before_ns + TC_WINDOW_NS
                 && threadclock_total_interpolated_ns() == -EPERM;
    return right ? RIGHT : WRONG;
}

/* It interpolates at all, and for no longer than its window. */
TEST(no_system_call_within_the_window)
{
    enum { CHILDREN = 20 };
    int answers[3] = {0, 0, 0};
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(answer_without_system_calls());
        int status;
        assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) < 3);
        answers[WEXITSTATUS(status)]++;
    }
    assert_int_equal(answers[WRONG], 0);
    assert_true(answers[RIGHT] > 0);
}

/* A critical section of another library, left in the field after its end. */
static struct {
    uint32_t signature, aborted;
    _Alignas(32) uint64_t version_and_flags; /* laid out as the kernel's struct rseq_cs */
    uint64_t start_ip, post_commit_offset, abort_ip;
} foreign = {.signature =
#if defined(__x86_64__)
                 0x53053053
#else
                 0xd428bc00
#endif
};

TEST(a_foreign_critical_section_stays)
{
    foreign.start_ip = foreign.abort_ip = (uint64_t)&foreign.aborted;
    uint64_t *field = &tc_rseq_area()->rseq_cs, address = (uint64_t)&foreign.version_and_flags;
    int stayed = 0;
    for (int i = 0; i < 20000; i++) {
        TC_STORE(*field, address);
        int64_t before_ns = thread_cpu_ns(), ns = threadclock_total_interpolated_ns(),
                after_ns = thread_cpu_ns();
        assert_true(ns >= before_ns && ns <= after_ns + TC_WINDOW_NS);
        stayed += TC_LOAD(*field) == address;
    }
    TC_STORE(*field, 0);
    assert_true(stayed > 15000); /* in the others a switch cleared the field before the read */
    assert_int_equal(source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED), THREADCLOCK_SOURCE_INTERPOLATED);
}

struct comparison {
    void (*meanwhile)(int64_t);
    int64_t reads, last_ns;
    int64_t ahead, max_ahead_ns, max_behind_ns; /* ahead: reads that were ahead by more than AHEAD_NS */
};

/* A read between two of the kernel's clock. Asserts what holds for every read, counts what holds for most. */
static void compare_once(struct comparison *all)
{
    int64_t before_ns = thread_cpu_ns(), ns = threadclock_total_interpolated_ns(), after_ns = thread_cpu_ns();
    assert_in_any_thread(ns >= all->last_ns);
    assert_in_any_thread(ns <= after_ns + TC_WINDOW_NS);
    assert_in_any_thread(ns >= before_ns - BEHIND_MAX_NS);
    all->last_ns = ns;
    all->ahead += ns > after_ns + AHEAD_NS;
    all->max_ahead_ns = ns - after_ns > all->max_ahead_ns ? ns - after_ns : all->max_ahead_ns;
    all->max_behind_ns = before_ns - ns > all->max_behind_ns ? before_ns - ns : all->max_behind_ns;
}

static void *compare(void *comparison)
{
    struct comparison *all = comparison;
    for (int64_t i = 0; i < all->reads; i++) {
        if (all->meanwhile != NULL)
            all->meanwhile(i);
        compare_once(all);
    }
    return NULL;
}

/* The share of the CPUs' time that a hypervisor has stolen since the last call; 0 if that is unknown. */
static double stolen_share(void)
{
    static double last_stolen_s, last_s;
    long long user, nice, system, idle, waiting, irq, softirq, stolen = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL
        || fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle, &waiting,
                  &irq, &softirq, &stolen) != 8)
        stolen = 0;
    if (file != NULL)
        fclose(file);
    double stolen_s = (double)stolen / (double)sysconf(_SC_CLK_TCK),
           s = (double)threadclock_clock_ns(CLOCK_MONOTONIC) / 1e9 * (double)sysconf(_SC_NPROCESSORS_ONLN),
           share = (stolen_s - last_stolen_s) / (s - last_s);
    last_stolen_s = stolen_s;
    last_s = s;
    return share > 0 ? share : 0;
}

/*
 * Time that a hypervisor steals without a switch is missing from the kernel's clock, but not from the
 * counter. So 0.1 ms of it puts all later reads of the window ahead, which last up to ten times as long.
 */
static void assert_seldom_ahead(const char *what, const struct comparison *all)
{
    double allowed = 0.01 + stolen_share() * TC_WINDOW_NS / AHEAD_NS;
    allowed = allowed < 0.25 ? allowed : 0.25;
    print_message("%s: %lld reads, %lld ahead by more than 0.1 ms (allowed: %.1f %%), at most %lld ns ahead, "
                  "%lld ns behind\n",
                  what, (long long)all->reads, (long long)all->ahead, 100 * allowed,
                  (long long)all->max_ahead_ns, (long long)all->max_behind_ns);
    assert_true((double)all->ahead <= (double)all->reads * allowed);
}

TEST(an_undisturbed_thread_is_near_the_kernels_clock)
{
    struct comparison all = {.reads = setting("THREADCLOCK_COMPARISONS", 1200000)};
    compare(&all);
    assert_seldom_ahead("undisturbed", &all);
}

/* Sleeps within an anchor's lifetime: the anchor would still be valid if only its age were checked. */
static void sleep_briefly(int64_t i)
{
    threadclock_total_interpolated_ns();
    sleep_ns(100 * US + i % 7 * 20 * US);
}

TEST(sleep_is_not_counted)
{
    struct comparison all = {.meanwhile = sleep_briefly, .reads = 2000};
    compare(&all);
    assert_seldom_ahead("sleeping", &all);
    int64_t start_ns = threadclock_total_interpolated_ns();
    sleep_ns(300 * NS_PER_MS);
    assert_in_range(threadclock_total_interpolated_ns() - start_ns, 0, 20 * NS_PER_MS);
}

static void yield_often(int64_t i)
{
    if (i % 16 == 0)
        sched_yield();
}

TEST(more_threads_than_processors_are_near_the_kernels_clock)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    struct comparison alls[THREADS], sum = {0};
    for (int i = 0; i < THREADS; i++) {
        alls[i] = (struct comparison){.meanwhile = i % 2 ? yield_often : NULL,
                                      .reads = setting("THREADCLOCK_COMPARISONS", 1200000) / 8};
        assert_int_equal(pthread_create(&threads[i], NULL, compare, &alls[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        sum.reads += alls[i].reads;
        sum.ahead += alls[i].ahead;
        sum.max_ahead_ns = alls[i].max_ahead_ns > sum.max_ahead_ns ? alls[i].max_ahead_ns : sum.max_ahead_ns;
        sum.max_behind_ns = alls[i].max_behind_ns > sum.max_behind_ns ? alls[i].max_behind_ns
                                                                      : sum.max_behind_ns;
    }
    assert_seldom_ahead("preempted", &sum);
}

static _Atomic bool moving;

static void *move_to_and_fro(void *tid)
{
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; moving; cpu = (cpu + 1) % CPU_SETSIZE) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(*(pid_t *)tid, sizeof one, &one);
        usleep(100);
    }
    sched_setaffinity(*(pid_t *)tid, sizeof allowed, &allowed);
    return NULL;
}

TEST(a_thread_moved_between_processors_is_near_the_kernels_clock)
{
    pid_t tid = (pid_t)syscall(SYS_gettid);
    pthread_t mover;
    struct comparison all = {.reads = 300000};
    moving = true;
    assert_int_equal(pthread_create(&mover, NULL, move_to_and_fro, &tid), 0);
    compare(&all);
    moving = false;
    assert_int_equal(pthread_join(mover, NULL), 0);
    assert_seldom_ahead("moved", &all);
}

static struct seen seen;
static volatile sig_atomic_t handled;

static void reading_handler(int signal)
{
    int saved = errno;
    check_interpolated(&seen);
    if (++handled % 4 == 0)
        sleep_ns(50 * US);
    check_interpolated(&seen);
    errno = saved;
}

TEST(handlers_that_read_and_sleep_are_harmless)
{
    struct comparison all = {.reads = 300000};
    alarm_every_us(200, reading_handler);
    for (int64_t end_ns = monotonic_ns() + NS_PER_S; monotonic_ns() < end_ns;)
        for (int i = 0; i < 1000; i++)
            check_interpolated(&seen);
    compare(&all);
    alarm_every_us(0, NULL);
    assert_true(handled > 50);
    assert_seldom_ahead("under signals", &all);
}

/* Stolen time leaves a thread ahead of the kernel's clock. It may stay so only until that catches up. */
TEST_IN_NEW_THREAD(a_thread_does_not_stay_ahead)
{
    enum { ROUNDS = 20, TOO_MUCH_NS = 900 * US, SPENT_NS = 3 * NS_PER_MS };
    int still_ahead = 0;
    threadclock_thread self;
    assert_in_any_thread(threadclock_thread_register(&self) == 0 && threadclock_total_interpolated_ns() > 0);
    struct entry *entry = tc_entry_hold(self);
    assert_in_any_thread(entry != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        struct comparison all = {0};
        int64_t begun_ns = thread_cpu_ns();
        tc_slot_raise_total(&entry->slot, (uint64_t)(begun_ns + TOO_MUCH_NS));
        sleep_ns(1); /* the next read sets an anchor */
        while (thread_cpu_ns() < begun_ns + SPENT_NS)
            compare_once(&all);
        int64_t ns = threadclock_total_interpolated_ns();
        still_ahead += ns > thread_cpu_ns() + AHEAD_NS;
    }
    assert_in_any_thread(still_ahead <= ROUNDS / 2); /* a real hypervisor may also have stolen time */
    tc_entry_release(entry, 0, 0);
    assert_in_any_thread(threadclock_thread_unregister() == 0);
}

int main(void)
{
    if (source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED) != THREADCLOCK_SOURCE_INTERPOLATED)
        return skip_all("this kernel or C library does not let the total be interpolated; fallback_test has "
                        "the rest");
    stolen_share();
    return run_added_tests();
}
