/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts the interpolated total at each of its instructions in turn, deterministically. */
#include "support.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "interpolated.h"
#include "steps.h"

#if defined(__x86_64__)
enum { US = 1000, AGE_NS = 300 * US, AHEAD_NS = 250 * US, RUNS_MAX = 6 };
enum { PARENT_NS = 300 * NS_PER_MS, CHILD_AT_MOST_NS = 100 * NS_PER_MS };

/* A SIGTRAP after each instruction, until the handler has reached step stop_at and run at_stop. */
static volatile int steps, stop_at;
static int64_t away_ns = AHEAD_NS;
static void (*volatile on_the_way)(void), (*volatile at_stop)(void);

static void nothing(void)
{
}

static long switches_before_anchor;

static struct rusage own_usage(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage;
}

static long switches(void)
{
    struct rusage usage = own_usage();
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Restores the mark as if there had been no signal: without a switch, its anchor is still valid. */
static void set_mark_again(void)
{
    TC_STORE(tc_rseq_area()->rseq_cs, tc_interpolation.mark);
    if (switches() != switches_before_anchor)
        TC_STORE(tc_rseq_area()->rseq_cs, 0);
}

static void read_again(void)
{
    threadclock_total_interpolated_ns();
}

static void leave(void)
{
    sleep_ns(away_ns);
}

static void leave_and_read(void)
{
    sleep_ns(away_ns);
    threadclock_total_interpolated_ns();
}

static void read_and_leave(void)
{
    threadclock_total_interpolated_ns();
    sleep_ns(away_ns);
}

static void step_handler(int signal, siginfo_t *info, void *context)
{
    if (++steps < stop_at) {
        on_the_way();
    } else {
        at_stop();
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    }
}

static int64_t read_interrupted_at(int step, void (*before)(void), void (*then)(void))
{
    struct sigaction action = {.sa_sigaction = step_handler, .sa_flags = SA_SIGINFO}, old;
    sigaction(SIGTRAP, &action, &old);
    steps = 0;
    stop_at = step;
    on_the_way = before;
    at_stop = then;
    switches_before_anchor = switches();
    threadclock_total_interpolated_ns();
    for (int64_t start_ns = monotonic_ns(); monotonic_ns() - start_ns < AGE_NS;) {
    }
    if (before != set_mark_again)
        sleep_ns(100 * US); /* an expired anchor */
    trap_each_instruction(true);
    int64_t ns = threadclock_total_interpolated_ns();
    trap_each_instruction(false);
    sigaction(SIGTRAP, &old, NULL);
    return ns;
}

/*
 * True if four runs count the absence before two do not: a hypervisor may have stolen as much. A preemption
 * may hide the error, so a run with one does not show that there is none; but a busy machine preempts often.
 */
static bool counts_absence(int step, void (*before)(void), void (*then)(void))
{
    int yes = 0, no = 0;
    for (int run = 0; yes < 4 && no < 2 && run < RUNS_MAX; run++) {
        while (threadclock_total_tick_ns() > thread_cpu_ns()) {
        } /* waits while an earlier attempt is ahead */
        long preemptions = own_usage().ru_nivcsw;
        int64_t ns = read_interrupted_at(step, before, then), after_ns = thread_cpu_ns();
        int64_t next_ns = threadclock_total_interpolated_ns(), after_next_ns = thread_cpu_ns();
        bool ahead = ns > after_ns + AHEAD_NS || next_ns > after_next_ns + AHEAD_NS;
        yes += ahead;
        no += !ahead && own_usage().ru_nivcsw == preemptions;
        if (ahead)
            sleep_ns(20 * NS_PER_MS); /* hypervisors steal time in bursts */
    }
    return yes == 4;
}

/* At each instruction of the fast and the slow read: a handler that reads, leaves the CPU, or does both. */
TEST(a_handler_between_any_two_instructions_is_harmless)
{
    static void (*const befores[])(void) = {nothing, set_mark_again, read_again};
    static void (*const thens[])(void) = {leave, leave_and_read, read_and_leave};
    tc_interpolation.window *= 1024; /* single-stepped, the slow read exceeds the limit for an anchor */
    for (int i = 0; i < 9; i++) {
        int step = 1;
        int64_t begun_ns = thread_cpu_ns();
        read_interrupted_at(INT_MAX, befores[i % 3], nothing);
        away_ns = AHEAD_NS + thread_cpu_ns() - begun_ns; /* less hides behind the steps' time */
        do {
            bool counted = counts_absence(step, befores[i % 3], thens[i / 3]);
            if (counted)
                print_message("before: %d, then: %d, at instruction %d\n", i % 3, i / 3, step);
            assert_false(counted);
        } while (steps >= step++);
        assert_true(step > 20);
    }
    tc_interpolation.window /= 1024;
}

static bool own_time_is_small(void *unused)
{
    int64_t first_ns = threadclock_total_interpolated_ns(), now_ns = threadclock_total_now_ns();
    int64_t tick_ns = threadclock_total_tick_ns(), last_ns = threadclock_total_interpolated_ns();
    return first_ns >= 0 && now_ns >= first_ns && tick_ns >= now_ns && last_ns >= tick_ns
           && last_ns < CHILD_AT_MOST_NS;
}

static volatile sig_atomic_t in_child;
static volatile pid_t child_of_handler;

static void fork_here(void)
{
    child_of_handler = raw_fork();
    if (child_of_handler == 0)
        in_child = 1;
}

static void fork_here_and_read(void)
{
    fork_here();
    if (in_child && !own_time_is_small(NULL))
        _exit(1);
}

static void read_and_fork_here(void)
{
    threadclock_total_interpolated_ns();
    fork_here();
}

TEST(a_reading_that_a_fork_interrupts_is_not_kept_in_the_child)
{
    static void (*const befores[])(void) = {nothing, set_mark_again, read_again};
    static void (*const thens[])(void) = {fork_here, fork_here_and_read, read_and_fork_here};
    burn_user_ns(PARENT_NS);
    for (int i = 0; i < 9; i++) {
        int step = 1;
        do {
            child_of_handler = -1;
            read_interrupted_at(step, befores[i % 3], thens[i / 3]);
            if (in_child)
                _exit(own_time_is_small(NULL) ? 0 : 1);
            assert_true(child_of_handler < 0 || child_ended_well(child_of_handler));
        } while (steps >= step++);
    }
}

int main(void)
{
    if (source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED) != THREADCLOCK_SOURCE_INTERPOLATED)
        return skip_all("this kernel or C library does not let the total be interpolated");
    return run_added_tests();
}
#else
int main(void)
{
    return skip_all("only x86-64 has a trap flag to step with");
}
#endif
