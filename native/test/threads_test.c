/* SPDX-License-Identifier: Apache-2.0 */
/* Other threads by handle: right, never back whoever reads, never another thread's time, gone when they are gone. */
#include "seen.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_thread.h"
#include "threads.h"
#include "tick.h"

/* A thread that registers, works, and stays until it is let go. */
struct worker {
    void (*work)(void);
    pthread_t thread;
    threadclock_thread handle;
    pthread_barrier_t worked, leave;
    clockid_t clock;
};

static void *register_and_work(void *argument)
{
    struct worker *worker = argument;
    assert_in_any_thread(threadclock_thread_register(&worker->handle) == 0);
    worker->work();
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

static void another_thread_is_read_right(void **state)
{
    (void)state;
    struct worker worker;
    start_worker(&worker, around_ticks);
    usleep(20000); /* it sleeps at the barrier */
    int64_t truth_ns = threadclock_clock_ns(worker.clock);
    struct threadclock_times times;
    assert_int_equal(threadclock_thread_times(worker.handle, &times), 0);
    assert_int_equal(times.total_ns, truth_ns);
    assert_int_equal(times.user_ns + times.system_ns, truth_ns);
    assert_in_range(times.user_ns + truth_ns / 10 + 10 * NS_PER_MS, truth_ns, 2 * truth_ns);
    end_worker(&worker);
    assert_int_equal(threadclock_thread_times(worker.handle, &times), -ESRCH);
}

static void bulk_reads_say_which_failed(void **state)
{
    (void)state;
    struct worker worker;
    start_worker(&worker, user_and_system);
    threadclock_thread handles[] = {worker.handle, 0, worker.handle, worker.handle ^ UINT64_C(1) << 33};
    struct threadclock_times times[4];
    assert_int_equal(threadclock_threads_times(handles, 4, times), 2);
    assert_true(times[0].system_ns > 50 * NS_PER_MS && times[0].user_ns > 50 * NS_PER_MS);
    assert_int_equal(times[1].user_ns, -ESRCH);
    assert_int_equal(times[3].total_ns, -ESRCH);
    assert_true(times[2].total_ns >= times[0].total_ns);
    assert_int_equal(threadclock_threads_times(NULL, 0, NULL), 0);
    assert_int_equal(threadclock_threads_times(NULL, 1, times), -EINVAL);
    assert_int_equal(threadclock_thread_times(worker.handle, NULL), -EINVAL);
    end_worker(&worker);
}

static void registrations_nest(void **state)
{
    (void)state;
    threadclock_thread first, second;
    struct threadclock_times times;
    assert_int_equal(threadclock_thread_unregister(), -ENOENT);
    assert_int_equal(threadclock_thread_register(&first), 0);
    assert_int_equal(threadclock_thread_register(&second), 0);
    assert_int_equal(first, second);
    assert_int_equal(threadclock_thread_unregister(), 0);
    assert_int_equal(threadclock_thread_times(first, &times), 0);
    int64_t before_ns = threadclock_total_now_ns();
    assert_int_equal(threadclock_thread_unregister(), 0);
    assert_int_equal(threadclock_thread_times(first, &times), -ESRCH);
    assert_true(threadclock_total_tick_ns() >= before_ns); /* what it has read goes with the thread */
    assert_int_equal(threadclock_thread_register(&second), 0);
    assert_int_not_equal(first, second);
    assert_int_equal(threadclock_thread_unregister(), 0);
}

/* One thread reads itself, tick and now, four others read it: what anyone has seen, nobody reads less of afterwards. */
static volatile bool stop;
static threadclock_thread watched;

static int read_watched(struct threadclock_times *times)
{
    return threadclock_thread_times(watched, times);
}

static void *watch(void *reads)
{
    while (!stop) {
        check_read(read_watched);
        ++*(int64_t *)reads;
    }
    return NULL;
}

static void *be_watched(void *reads)
{
    assert_in_any_thread(threadclock_thread_register(&watched) == 0);
    pthread_t watchers[4];
    static int64_t watches[4];
    for (int i = 0; i < 4; i++)
        assert_in_any_thread(pthread_create(&watchers[i], NULL, watch, &watches[i]) == 0);
    unsigned seed = 7;
    int64_t end_ns = monotonic_ns() + setting("THREADCLOCK_WATCH_MS", 4000) * NS_PER_MS;
    for (int64_t i = 0; monotonic_ns() < end_ns; i++) {
        check_read(rand_r(&seed) % 8 == 0 ? threadclock_times_now : threadclock_times_tick);
        if (i % 2000 == 0)
            burn_system_ns(NS_PER_MS);
        ++*(int64_t *)reads;
    }
    stop = true;
    for (int i = 0; i < 4; i++) {
        assert_in_any_thread(pthread_join(watchers[i], NULL) == 0);
        assert_in_any_thread(watches[i] > 100);
    }
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    return NULL;
}

static void nobody_reads_less_than_anybody_has_seen(void **state)
{
    (void)state;
    int64_t reads = 0;
    in_new_thread(be_watched, &reads);
    assert_true(reads > 1000);
}

/* Threads that come and go, TIDs used again: a young thread never shows an old one's time. */
enum { BUSY_NS = 30 * NS_PER_MS, YOUNG_AT_MOST_NS = 15 * NS_PER_MS, SLOTS = 8 };
static threadclock_thread young[SLOTS];
static volatile bool too_old;

static void *read_the_young(void *unused)
{
    (void)unused;
    while (!stop) {
        for (int i = 0; i < SLOTS; i++) {
            struct threadclock_times times;
            int error = threadclock_thread_times(__atomic_load_n(&young[i], __ATOMIC_ACQUIRE), &times);
            if (error == 0 ? times.total_ns > YOUNG_AT_MOST_NS : error != -ESRCH)
                too_old = true;
        }
    }
    return NULL;
}

static void *live_shortly(void *place)
{
    threadclock_thread handle;
    assert_in_any_thread(threadclock_thread_register(&handle) == 0);
    __atomic_store_n((threadclock_thread *)place, handle, __ATOMIC_RELEASE);
    for (int i = 0; i < 20; i++)
        threadclock_user_tick_ns();
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    burn_user_ns(place == &young[0] ? BUSY_NS : 0); /* after its registration: nobody may see this any more */
    return NULL;
}

static void a_time_is_never_another_threads(void **state)
{
    (void)state;
    stop = false;
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_the_young, NULL), 0);
    int count = (int)setting("THREADCLOCK_CHURN_THREADS", 20000);
    for (int i = 0; i < count; i += SLOTS) {
        pthread_t threads[SLOTS];
        for (int j = 0; j < SLOTS; j++)
            assert_int_equal(pthread_create(&threads[j], NULL, live_shortly, &young[j == 0 && i % 64 != 0 ? 1 : j]), 0);
        for (int j = 0; j < SLOTS; j++)
            assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
    stop = true;
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_false(too_old);
    assert_int_equal(tc_threads_count(), 0);
}

/* As the agent does with threads that ran before it came. */
struct adoption {
    pid_t tid;
    pthread_barrier_t known, adopted;
    int64_t first_total_ns, after_ns;
};

static void *be_adopted(void *argument)
{
    struct adoption *adoption = argument;
    adoption->tid = gettid();
    burn_user_ns(20 * NS_PER_MS);
    adoption->first_total_ns = threadclock_total_tick_ns();
    pthread_barrier_wait(&adoption->known);
    pthread_barrier_wait(&adoption->adopted);
    adoption->after_ns = threadclock_total_tick_ns(); /* in the tick of the first read: only the epoch tells */
    tc_threads_end(77);
    return NULL;
}

static void a_thread_finds_that_another_registered_it(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct adoption adoption;
        pthread_t thread;
        threadclock_thread handle, found;
        struct threadclock_times times;
        pthread_barrier_init(&adoption.known, NULL, 2);
        pthread_barrier_init(&adoption.adopted, NULL, 2);
        assert_int_equal(tc_threads_find(77, &found), -ENOENT);
        assert_int_equal(pthread_create(&thread, NULL, be_adopted, &adoption), 0);
        pthread_barrier_wait(&adoption.known);
        assert_int_equal(tc_threads_register_other(77, adoption.tid, &handle), 0);
        tc_epoch_advance();
        assert_int_equal(tc_threads_find(77, &found), 0);
        assert_int_equal(found, handle);
        assert_int_equal(threadclock_thread_times(handle, &times), 0);
        pthread_barrier_wait(&adoption.adopted);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(times.total_ns >= adoption.first_total_ns);
        assert_true(adoption.after_ns >= times.total_ns);
        assert_int_equal(tc_threads_find(77, &found), -ESRCH); /* ended, and known to have: not unknown */
        assert_int_equal(tc_threads_register_other(77, adoption.tid, &handle), -ESRCH);
        tc_threads_forget_all();
        for (uint64_t id = 1000; id < 1600; id++)
            tc_threads_end(id); /* until the entry of 77 is used again */
    }
}

/* As the agent does with a thread that starts: it may have read itself before (AttachCurrentThread), or never does. */
static void *start_as_66(void *reads_before)
{
    threadclock_thread handle, found;
    struct threadclock_times before, by_handle, after;
    if (reads_before != NULL)
        assert_in_any_thread(threadclock_times_tick(&before) == 0);
    assert_in_any_thread(tc_own_cell_used(gettid()) == (reads_before != NULL));
    assert_in_any_thread(tc_threads_register_own(66, &handle) == 0);
    burn_user_ns(NS_PER_MS / 2); /* mostly within one tick: what it has read is still cached */
    assert_in_any_thread(threadclock_thread_times(handle, &by_handle) == 0);
    if (reads_before != NULL) {
        assert_in_any_thread(by_handle.user_ns >= before.user_ns && by_handle.system_ns >= before.system_ns);
        assert_in_any_thread(threadclock_times_tick(&after) == 0);
        assert_in_any_thread(after.user_ns >= by_handle.user_ns && after.system_ns >= by_handle.system_ns);
        assert_in_any_thread(after.total_ns >= by_handle.total_ns);
    }
    tc_threads_end(66);
    assert_in_any_thread(tc_threads_find(66, &found) == -ESRCH && threadclock_thread_times(handle, &by_handle) == -ESRCH);
    assert_in_any_thread(tc_own_cell_used(gettid()) == (reads_before != NULL));
    for (uint64_t id = 1000; id < 1600; id++)
        tc_threads_end(id); /* until the entry of 66 is used again */
    return NULL;
}

static void a_thread_that_starts_brings_along_what_it_has_read(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        in_new_thread(start_as_66, NULL);
        in_new_thread(start_as_66, &i);
    }
    assert_int_equal(tc_threads_count(), 0);
}

static void *register_as_88(void *unused)
{
    (void)unused;
    threadclock_thread handle, again, found;
    struct threadclock_times times;
    assert_in_any_thread(tc_threads_register_own(88, &handle) == 0);
    assert_in_any_thread(threadclock_thread_unregister() == -ENOENT); /* one under an id is not the caller's to end */
    assert_in_any_thread(threadclock_thread_register(&again) == 0 && again == handle);
    assert_in_any_thread(threadclock_thread_unregister() == 0 && threadclock_thread_times(handle, &times) == 0);
    burn_user_ns(5 * NS_PER_MS);
    int64_t before_ns = threadclock_total_now_ns();
    tc_threads_forget_all();
    assert_in_any_thread(tc_threads_find(88, &found) == -ENOENT);
    assert_in_any_thread(threadclock_thread_times(handle, &times) == -ESRCH);
    assert_in_any_thread(threadclock_total_tick_ns() >= before_ns);
    assert_in_any_thread(tc_threads_register_other(88, gettid(), &again) == 0 && again != handle);
    assert_in_any_thread(threadclock_thread_times(again, &times) == 0 && times.total_ns >= before_ns);
    tc_threads_end(88);
    return NULL;
}

static void registrations_taken_back_can_be_made_again(void **state)
{
    (void)state;
    in_new_thread(register_as_88, NULL);
    assert_int_equal(tc_threads_count(), 0);
}

static bool child_has_no_registrations(void *handle)
{
    struct threadclock_times times;
    threadclock_thread own;
    if (threadclock_thread_times(*(threadclock_thread *)handle, &times) != -ESRCH)
        return false;
    return threadclock_thread_register(&own) == 0 && own != *(threadclock_thread *)handle && threadclock_thread_times(own, &times) == 0
           && times.total_ns < 50 * NS_PER_MS && threadclock_thread_times(*(threadclock_thread *)handle, &times) == -ESRCH
           && threadclock_thread_unregister() == 0;
}

static void a_child_has_no_registered_threads(void **state)
{
    (void)state;
    threadclock_thread handle;
    burn_user_ns(100 * NS_PER_MS);
    assert_int_equal(threadclock_thread_register(&handle), 0);
    for (int i = 0; i < 50; i++)
        assert_true(true_in_child(i % 2 ? fork : raw_fork, child_has_no_registrations, &handle));
    assert_int_equal(threadclock_thread_unregister(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_thread_is_read_right),
        cmocka_unit_test(bulk_reads_say_which_failed),
        cmocka_unit_test(registrations_nest),
        cmocka_unit_test(nobody_reads_less_than_anybody_has_seen),
        cmocka_unit_test(a_time_is_never_another_threads),
        cmocka_unit_test(a_thread_finds_that_another_registered_it),
        cmocka_unit_test(a_thread_that_starts_brings_along_what_it_has_read),
        cmocka_unit_test(registrations_taken_back_can_be_made_again),
        cmocka_unit_test(a_child_has_no_registered_threads),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
