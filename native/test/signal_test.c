/* SPDX-License-Identifier: Apache-2.0 */
/* Signal handlers that read while they interrupt a read: no value decreases, no triple is torn. */
#include "seen.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

/* The locked slot blocks signals, and a blocked trap ends the process. */
#if defined(__x86_64__) && !defined(TC_NO_CAS16)
#define CAN_STEP 1
#endif

/* A handler may raise it between any two instructions. */
static struct seen seen;
static volatile sig_atomic_t handled, jump;
static sigjmp_buf back;

static void read_triple_and_check(bool now)
{
    check_read(&seen, now ? threadclock_times_now : threadclock_times_tick);
}

static void read_ticks_and_check(void)
{
    for (int quantity = 0; quantity < 3; quantity++)
        check_one(&seen, quantity, false);
    read_triple_and_check(false);
}

static void reading_handler(int signal)
{
    handled++;
    read_ticks_and_check();
    for (int quantity = 0; quantity < 3; quantity++)
        check_one(&seen, quantity, handled % 2);
    read_triple_and_check(handled % 3 == 0);
    if (jump && handled % 16 == 0)
        /* The interrupted read never continues; signals stay blocked until the stack is unwound. */
        siglongjmp(back, 1);
}

TEST(the_first_read_may_be_in_a_handler)
{
    pid_t child = raw_fork();
    if (child == 0) {
        struct sigaction action = {.sa_handler = reading_handler};
        sigaction(SIGUSR1, &action, NULL);
        kill(getpid(), SIGUSR1); /* not raise: musl caches the parent's TID */
        _exit(0);
    }
    assert_true(child_ended_well(child));
}

struct storm {
    pthread_t target;
    _Atomic bool stop;
};

/* Pauses now and then: on a slow machine the reader would only run handlers. */
static void *send_signals(void *argument)
{
    struct storm *storm = argument;
    for (unsigned sent = 0; !storm->stop; sent++) {
        pthread_kill(storm->target, sent % 2 ? SIGUSR1 : SIGUSR2);
        for (volatile int pause = 0; pause < 2000; pause++) {
        }
        if (sent % 16 == 0)
            usleep(100);
    }
    return NULL;
}

static void read_under_signals(int64_t duration_ns, bool jumping)
{
    handled = 0;
    seen = (struct seen){0};
    /* Each handler may interrupt the other. */
    struct sigaction action = {.sa_handler = reading_handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    struct storm storm = {.target = pthread_self()};
    pthread_t sender;
    assert_int_equal(pthread_create(&sender, NULL, send_signals, &storm), 0);
    int64_t end_ns = monotonic_ns() + duration_ns;
    volatile unsigned reads_done = 0;
    sigset_t unblocked;
    pthread_sigmask(SIG_SETMASK, NULL, &unblocked);
    sigsetjmp(back, 0);
    pthread_sigmask(SIG_SETMASK, &unblocked, NULL);
    jump = jumping;
    /* Until many signals have come: on a busy machine the sender runs seldom. */
    for (; reads_done % 64 != 0 || monotonic_ns() < end_ns || handled <= 50; reads_done++) {
        check_one(&seen, (int)(reads_done % 3), reads_done % 8 == 0);
        if (reads_done % 4 == 0)
            read_triple_and_check(reads_done % 16 == 0);
    }
    jump = 0;
    storm.stop = true;
    assert_int_equal(pthread_join(sender, NULL), 0);
}

TEST(handlers_and_the_read_they_interrupt_agree)
{
    read_under_signals(setting("THREADCLOCK_SIGNAL_MS", 2000) * NS_PER_MS, false);
}

TEST(a_handler_that_jumps_away_leaves_the_clock_whole)
{
    read_under_signals(setting("THREADCLOCK_SIGNAL_MS", 2000) * NS_PER_MS, true);
}

#if CAN_STEP
static volatile int steps;
static unsigned seed = 1;

/*
 * Reads at random, at about one instruction in eight: at every instruction, a read that repeats until the
 * pair is consistent would never see two equal sums. Some time passes first, so that the handler's reading is
 * newer than anything the interrupted read may hold.
 */
static void step_handler(int signal)
{
    steps++;
    if (rand_r(&seed) % 8 != 0)
        return;
    read_ticks_and_check(); /* before a now read repairs what the interrupted read may have broken */
    for (int64_t start_ns = monotonic_ns(); monotonic_ns() - start_ns < 2500;) {
    }
    check_one(&seen, steps % 3, 1);
    read_ticks_and_check();
}

/* A handler that reads between any two instructions of every read: each interleaving occurs. */
TEST(a_handler_between_any_two_instructions_agrees)
{
    struct sigaction action = {.sa_handler = step_handler}, before;
    sigaction(SIGTRAP, &action, &before);
    seen = (struct seen){0};
    for (int round = 0; round < 100; round++) {
        for (int freshness = 0; freshness < 2; freshness++) {
            for (int quantity = 0; quantity <= 3; quantity++) {
                int steps_before = steps;
                wait_for_a_tick();
                trap_each_instruction(true);
                if (quantity < 3)
                    check_one(&seen, quantity, freshness);
                else
                    read_triple_and_check(freshness);
                trap_each_instruction(false);
                read_ticks_and_check(); /* the cell must still have what the handler saw */
                assert_true(steps - steps_before > 20);
            }
        }
        burn_system_ns(NS_PER_MS);
    }
    sigaction(SIGTRAP, &before, NULL);
}
#endif
