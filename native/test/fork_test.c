/* SPDX-License-Identifier: Apache-2.0 */
/* After a fork the child reads its own times: by fork(), by the raw system call, from a thread, from a signal handler. */
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARENT_NS = 300 * NS_PER_MS, CHILD_AT_MOST_NS = 100 * NS_PER_MS, FORKS = 200 };

static bool reads_are_small(void *unused)
{
    (void)unused;
    struct threadclock_times tick, now;
    int64_t user_ns = threadclock_user_tick_ns(), system_ns = threadclock_system_tick_ns(), total_ns = threadclock_total_tick_ns();
    return threadclock_times_tick(&tick) == 0 && threadclock_times_now(&now) == 0 && user_ns >= 0 && user_ns < CHILD_AT_MOST_NS
           && system_ns >= 0 && system_ns < CHILD_AT_MOST_NS && total_ns >= 0 && total_ns < CHILD_AT_MOST_NS
           && tick.total_ns < CHILD_AT_MOST_NS && now.total_ns < CHILD_AT_MOST_NS && now.user_ns <= now.total_ns;
}

static bool now_total_is_small(void *unused)
{
    (void)unused;
    int64_t now_ns = threadclock_total_now_ns(), tick_ns = threadclock_total_tick_ns();
    return now_ns >= 0 && now_ns < CHILD_AT_MOST_NS && tick_ns >= now_ns && tick_ns < CHILD_AT_MOST_NS;
}

/* The parent reads just before, so that its reading is of the tick in which the child reads. */
static void children_read_their_own_times(pid_t (*fork)(void))
{
    for (int i = 0; i < FORKS; i++) {
        assert_in_any_thread(threadclock_total_tick_ns() >= PARENT_NS);
        assert_in_any_thread(true_in_child(fork, i % 2 ? reads_are_small : now_total_is_small, NULL));
    }
    assert_in_any_thread(threadclock_total_tick_ns() >= PARENT_NS);
}

static void a_forked_child_reads_its_own_times(void **state)
{
    (void)state;
    children_read_their_own_times(fork);
}

static void a_raw_forked_child_reads_its_own_times(void **state)
{
    (void)state;
    children_read_their_own_times(raw_fork);
}

/* Each generation reads before and after it forks. */
static bool descend(void *generations)
{
    int left = *(int *)generations - 1;
    threadclock_user_now_ns();
    return reads_are_small(NULL) && (left == 0 || true_in_child(left % 2 ? fork : raw_fork, descend, &left)) && reads_are_small(NULL);
}

static void each_generation_reads_its_own_times(void **state)
{
    (void)state;
    int generations = 20;
    threadclock_total_tick_ns();
    assert_true(true_in_child(fork, descend, &generations));
}

static void *burn_and_fork(void *unused)
{
    (void)unused;
    burn_user_ns(PARENT_NS);
    children_read_their_own_times(raw_fork);
    return NULL;
}

static void a_thread_that_forks_leaves_its_times_behind(void **state)
{
    (void)state;
    in_new_thread(burn_and_fork, NULL);
}

static void *check_in_thread(void *small)
{
    *(bool *)small = reads_are_small(NULL);
    return NULL;
}

static bool thread_in_child(void *unused)
{
    (void)unused;
    pthread_t thread;
    bool small = false;
    return pthread_create(&thread, NULL, check_in_thread, &small) == 0 && pthread_join(thread, NULL) == 0 && small
           && reads_are_small(NULL);
}

static void threads_of_a_child_read_their_own_times(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        threadclock_total_tick_ns();
        assert_true(true_in_child(fork, thread_in_child, NULL));
    }
}

static volatile sig_atomic_t forks_left, in_handler_child, children_wrong;

static void fork_in_handler(int signal)
{
    (void)signal;
    if (forks_left <= 0 || in_handler_child)
        return;
    forks_left--;
    pid_t child = raw_fork();
    if (child == 0) {
        in_handler_child = 1;
        if (!reads_are_small(NULL)) /* before the interrupted read goes on */
            _exit(1);
    } else if (child < 0) {
        children_wrong++;
    }
}

/* The signal comes in the middle of a read, the handler forks, and in the child the parent's read goes on. */
static void a_read_that_is_forked_within_does_not_stay(void **state)
{
    (void)state;
    assert_true(threadclock_total_now_ns() >= PARENT_NS);
    forks_left = 300;
    struct sigaction action = {.sa_handler = fork_in_handler}, before;
    sigaction(SIGALRM, &action, &before);
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (forks_left > 0 && !in_handler_child)
        threadclock_user_now_ns(); /* most of its time is between the sample and the slot */
    if (in_handler_child) {
        bool small = reads_are_small(NULL);
        _exit(small ? 0 : 1);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    int status, children = 0;
    while (wait(&status) > 0) {
        children++;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            children_wrong++;
    }
    assert_int_equal(children, 300);
    assert_int_equal(children_wrong, 0);
}

static int make_parent_busy(void **state)
{
    (void)state;
    burn_user_ns(PARENT_NS);
    burn_system_ns(PARENT_NS);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_child_reads_its_own_times),
        cmocka_unit_test(a_raw_forked_child_reads_its_own_times),
        cmocka_unit_test(each_generation_reads_its_own_times),
        cmocka_unit_test(a_thread_that_forks_leaves_its_times_behind),
        cmocka_unit_test(threads_of_a_child_read_their_own_times),
        cmocka_unit_test(a_read_that_is_forked_within_does_not_stay),
    };
    return cmocka_run_group_tests_name("fork", tests, make_parent_busy, NULL);
}
