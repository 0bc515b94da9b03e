/* SPDX-License-Identifier: Apache-2.0 */
/* Other threads by handle: accurate, -ESRCH after their end. operations_test has many readers at once. */
#include "seen.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "seccomp.h"

/* A thread that registers, works, and stays until it is released. */
struct worker {
    void (*work)(void);
    pthread_t thread;
    threadclock_thread handle;
    pthread_barrier_t worked, leave;
    clockid_t clock;
    int64_t user_ns; /* after its work, by the kernel's split */
};

static void *register_and_work(void *argument)
{
    struct worker *worker = argument;
    assert_in_any_thread(threadclock_thread_register(&worker->handle) == 0);
    worker->work();
    worker->user_ns = times_by_getrusage().user_ns;
    pthread_barrier_wait(&worker->worked);
    pthread_barrier_wait(&worker->leave);
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    return NULL;
}

static void start_worker(struct worker *worker, void (*work)(void))
{
    worker->work = work;
    assert_int_equal(pthread_barrier_init(&worker->worked, NULL, 2), 0);
    assert_int_equal(pthread_barrier_init(&worker->leave, NULL, 2), 0);
    assert_int_equal(pthread_create(&worker->thread, NULL, register_and_work, worker), 0);
    assert_int_equal(pthread_getcpuclockid(worker->thread, &worker->clock), 0);
    pthread_barrier_wait(&worker->worked);
}

static void end_worker(struct worker *worker)
{
    pthread_barrier_wait(&worker->leave);
    assert_int_equal(pthread_join(worker->thread, NULL), 0);
}

static void around_ticks(void)
{
    burn_around_ticks(250);
}

static void user_and_system(void)
{
    burn_user_ns(200 * NS_PER_MS);
    burn_system_ns(200 * NS_PER_MS);
}

TEST(another_thread_is_read_right)
{
    struct worker worker;
    start_worker(&worker, around_ticks);
    struct threadclock_times times;
    int64_t before_ns = threadclock_clock_ns(worker.clock); /* it may not sleep at the barrier yet */
    assert_int_equal(threadclock_thread_times(worker.handle, &times), 0);
    int64_t after_ns = threadclock_clock_ns(worker.clock);
    assert_in_range(times.total_ns, before_ns, after_ns);
    assert_int_equal(times.user_ns + times.system_ns, times.total_ns);
    assert_true(llabs(times.user_ns - worker.user_ns) <= after_ns / 10 + 10 * NS_PER_MS);
    end_worker(&worker);
    assert_int_equal(threadclock_thread_times(worker.handle, &times), -ESRCH);
}

TEST(bulk_reads_say_which_failed)
{
    struct worker worker;
    start_worker(&worker, user_and_system);
    threadclock_thread handles[] = {worker.handle, 0, worker.handle, worker.handle ^ UINT64_C(1) << 33};
    struct threadclock_times times[4];
    assert_int_equal(threadclock_threads_times(handles, 4, times), 2);
    assert_in_range(times[0].total_ns, 400 * NS_PER_MS, threadclock_clock_ns(worker.clock));
    assert_int_equal(times[0].user_ns + times[0].system_ns, times[0].total_ns);
    assert_true(llabs(times[0].user_ns - worker.user_ns) <= 50 * NS_PER_MS);
    assert_int_equal(times[1].user_ns, -ESRCH);
    assert_int_equal(times[3].total_ns, -ESRCH);
    assert_true(times[2].total_ns >= times[0].total_ns);
    assert_int_equal(threadclock_threads_times(NULL, 0, NULL), 0);
    assert_int_equal(threadclock_threads_times(NULL, 1, times), -EINVAL);
    assert_int_equal(threadclock_thread_times(worker.handle, NULL), -EINVAL);
    end_worker(&worker);
}

/*
 * A read is delayed between the clock and the slot, by a signal handler in which the thread works and reads
 * itself. The delayed sample is then old, by more than the step that counts as a restore. It must not count
 * as one. The moment is found by a filter that turns the clock's system call into a signal.
 */
enum { DELAYED_READS = 5 };
static bool delay;
static int64_t read_meanwhile_ns;
static threadclock_thread watched;

static int64_t total_of_watched(void)
{
    struct threadclock_times times;
    assert_in_any_thread(threadclock_thread_times(watched, &times) == 0);
    return times.total_ns;
}

static long answer_late(long number, const long arguments[6])
{
    long result = kernels_answer(number, arguments);
    if (delay) {
        delay = false;
        burn_user_ns(20 * NS_PER_MS);
        read_meanwhile_ns = total_of_watched();
    }
    return result;
}

TEST_IN_FILTERED_CHILD(a_delayed_read_does_not_count_as_a_restore, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    if (threadclock_thread_register(&watched) != 0 || ANSWER(answer_late, SYS_clock_gettime) != 0)
        return false;
    for (int i = 0; i < DELAYED_READS; i++) {
        delay = true;
        int64_t total_ns = total_of_watched();
        if (delay || total_ns < read_meanwhile_ns)
            return false;
    }
    return true;
}
