/* SPDX-License-Identifier: Apache-2.0 */
/* 10^8 tick reads in each of four threads at once, during signals and forks: none decreases. */
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 4 };

static volatile sig_atomic_t wrong_in_handlers;
static _Atomic bool done;

static void reading_handler(int signal)
{
    (void)signal;
    struct threadclock_times times;
    if (threadclock_times_now(&times) != 0 || times.user_ns + times.system_ns > times.total_ns)
        wrong_in_handlers = 1;
}

struct reader {
    pthread_t thread;
    int64_t reads, went_back, above_total;
};

static void *read_much(void *argument)
{
    struct reader *reader = argument;
    int64_t user_ns = 0, system_ns = 0, total_ns = 0;
    for (int64_t i = 0; i < reader->reads; i += 4) {
        int64_t user = threadclock_user_tick_ns(), system = threadclock_system_tick_ns();
        int64_t total = threadclock_total_tick_ns();
        struct threadclock_times times;
        threadclock_times_tick(&times);
        reader->went_back += user < user_ns || system < system_ns || total < total_ns || times.user_ns < user
                             || times.system_ns < system || times.total_ns < total;
        reader->above_total += times.user_ns + times.system_ns > times.total_ns || user > total;
        user_ns = times.user_ns;
        system_ns = times.system_ns;
        total_ns = times.total_ns;
        if (i % 4000000 == 0)
            burn_system_ns(NS_PER_MS); /* so that user and system both grow */
    }
    return NULL;
}

static bool own_time_is_small(void *unused)
{
    (void)unused;
    int64_t total_ns = threadclock_total_tick_ns();
    return total_ns >= 0 && total_ns < 100 * NS_PER_MS;
}

static void *fork_all_the_time(void *children_wrong)
{
    while (!done) {
        threadclock_total_tick_ns();
        if (!true_in_child(raw_fork, own_time_is_small, NULL))
            ++*(int *)children_wrong;
        usleep(5000);
    }
    return NULL;
}

static void no_value_decreases(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = reading_handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct reader readers[THREADS];
    pthread_t forker;
    int children_wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.reads = setting("THREADCLOCK_STRESS_READS", 100000000)};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_much, &readers[i]), 0);
    }
    if (!UNDER_THREAD_SANITIZER)
        assert_int_equal(pthread_create(&forker, NULL, fork_all_the_time, &children_wrong), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++) {
        while (pthread_tryjoin_np(readers[i].thread, NULL) != 0) {
            pthread_kill(readers[i].thread, SIGALRM);
            usleep(200);
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    done = true;
    if (!UNDER_THREAD_SANITIZER)
        assert_int_equal(pthread_join(forker, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(readers[i].went_back, 0);
        assert_int_equal(readers[i].above_total, 0);
    }
    assert_int_equal(wrong_in_handlers, 0);
    assert_int_equal(children_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_value_decreases)};
    return cmocka_run_group_tests_name("stress", tests, NULL, NULL);
}
