/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registrations: by the thread itself and by the JVM; of a thread that already runs, and of one that turns
 * out to have ended.
 */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "entries.h"
#include "own_thread.h"
#include "seccomp.h"
#include "threads.h"
#include "tick.h"

TEST(registrations_nest)
{
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
    assert_true(threadclock_total_tick_ns() >= before_ns); /* what was read moves with the thread */
    assert_int_equal(threadclock_thread_register(&second), 0);
    assert_int_not_equal(first, second);
    assert_int_equal(threadclock_thread_unregister(), 0);
}

/* As the agent does with threads that ran before it was loaded. */
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
    adoption->after_ns = threadclock_total_tick_ns(); /* the same tick as before: only the epoch changed */
    tc_threads_end(77);
    return NULL;
}

TEST(a_thread_finds_that_another_registered_it)
{
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
        assert_int_equal(tc_java_thread_register(77, adoption.tid, &handle), 0);
        tc_epoch_advance();
        assert_int_equal(tc_threads_find(77, &found), 0);
        assert_int_equal(found, handle);
        assert_int_equal(threadclock_thread_times(handle, &times), 0);
        pthread_barrier_wait(&adoption.adopted);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(times.total_ns >= adoption.first_total_ns);
        assert_true(adoption.after_ns >= times.total_ns);
        assert_int_equal(tc_threads_find(77, &found), -ESRCH); /* known to have ended, not unknown */
        assert_int_equal(tc_java_thread_register(77, adoption.tid, &handle), -ESRCH);
        for (uint64_t id = 1000; id < 1600; id++)
            tc_threads_end(id); /* until the entry of 77 is reused */
    }
}

/*
 * As the agent does with a thread that starts: it may have read itself before (AttachCurrentThread), or may
 * never do so.
 */
static void *start_as_66(void *reads_before)
{
    threadclock_thread handle, found;
    struct threadclock_times before, by_handle, after;
    bool used_before = tc_own_cell_used(gettid()); /* by an earlier thread with this TID */
    if (reads_before != NULL)
        assert_in_any_thread(threadclock_times_tick(&before) == 0);
    assert_in_any_thread(tc_own_cell_used(gettid()) == (used_before || reads_before != NULL));
    assert_in_any_thread(tc_java_thread_register(66, 0, &handle) == 0);
    burn_user_ns(NS_PER_MS / 2); /* mostly within one tick: what was read is still cached */
    assert_in_any_thread(threadclock_thread_times(handle, &by_handle) == 0);
    if (reads_before != NULL) {
        assert_in_any_thread(by_handle.user_ns >= before.user_ns && by_handle.system_ns >= before.system_ns);
        assert_in_any_thread(threadclock_times_tick(&after) == 0);
        assert_in_any_thread(after.user_ns >= by_handle.user_ns && after.system_ns >= by_handle.system_ns);
        assert_in_any_thread(after.total_ns >= by_handle.total_ns);
    }
    tc_threads_end(66);
    assert_in_any_thread(tc_threads_find(66, &found) == -ESRCH
                         && threadclock_thread_times(handle, &by_handle) == -ESRCH);
    assert_in_any_thread(tc_own_cell_used(gettid()) == (used_before || reads_before != NULL));
    for (uint64_t id = 1000; id < 1600; id++)
        tc_threads_end(id); /* until the entry of 66 is reused */
    return NULL;
}

TEST(a_thread_that_starts_brings_along_what_it_has_read)
{
    for (int i = 0; i < 20; i++) {
        in_new_thread(start_as_66, NULL);
        in_new_thread(start_as_66, &i);
    }
    assert_int_equal(tc_entries_standing(), 0);
}

/*
 * A JVM thread that also registers itself: one registration, active until both the JVM and the thread have
 * ended theirs.
 */
static void *register_for_both(void *java_first)
{
    threadclock_thread of_java, of_c, found;
    struct threadclock_times times;
    if (java_first != NULL)
        assert_in_any_thread(tc_java_thread_register(88, 0, &of_java) == 0);
    assert_in_any_thread(threadclock_thread_register(&of_c) == 0);
    if (java_first == NULL)
        assert_in_any_thread(tc_java_thread_register(88, 0, &of_java) == 0);
    assert_in_any_thread(of_c == of_java && tc_entries_standing() == 1);
    burn_user_ns(5 * NS_PER_MS);
    int64_t before_ns = threadclock_total_now_ns();
    if (java_first != NULL) {
        tc_threads_end(88); /* the thread detaches from the JVM, and continues */
        assert_in_any_thread(tc_threads_find(88, &found) == -ESRCH);
        assert_in_any_thread(threadclock_thread_times(of_c, &times) == 0 && times.total_ns >= before_ns);
        assert_in_any_thread(threadclock_thread_unregister() == 0);
    } else {
        assert_in_any_thread(threadclock_thread_unregister() == 0);
        assert_in_any_thread(tc_threads_find(88, &found) == 0 && found == of_java);
        assert_in_any_thread(threadclock_thread_times(of_java, &times) == 0 && times.total_ns >= before_ns);
        tc_threads_end(88);
    }
    assert_in_any_thread(threadclock_thread_times(of_c, &times) == -ESRCH);
    assert_in_any_thread(threadclock_thread_unregister() == -ENOENT);
    assert_in_any_thread(tc_threads_find(88, &found) == -ESRCH && threadclock_total_tick_ns() >= before_ns);
    for (uint64_t id = 1000; id < 1600; id++)
        tc_threads_end(id); /* until the entry of 88 is reused */
    return NULL;
}

TEST(the_jvm_and_the_thread_share_one_registration)
{
    for (int i = 0; i < 20; i++) {
        in_new_thread(register_for_both, i % 2 ? &i : NULL);
        assert_int_equal(tc_entries_standing(), 0);
    }
}

TEST(more_registrations_than_16_bits_count)
{
    threadclock_thread handle;
    struct threadclock_times times;
    enum { TIMES = 65537 };
    for (int i = 0; i < TIMES; i++)
        assert_int_equal(threadclock_thread_register(&handle), 0);
    for (int i = 1; i < TIMES; i++)
        assert_int_equal(threadclock_thread_unregister(), 0);
    assert_int_equal(threadclock_thread_times(handle, &times), 0);
    assert_int_equal(threadclock_thread_unregister(), 0);
    assert_int_equal(threadclock_thread_times(handle, &times), -ESRCH);
}

/* The agent has looked up a thread that has ended meanwhile, and withdraws its registration. */
static void *live_on(void *argument)
{
    struct adoption *adoption = argument;
    adoption->tid = gettid();
    pthread_barrier_wait(&adoption->known);
    pthread_barrier_wait(&adoption->adopted);
    /* Goes into the forgotten registration's slot, if the thread saw that registration before. */
    adoption->first_total_ns = threadclock_total_tick_ns();
    pthread_barrier_wait(&adoption->known);
    pthread_barrier_wait(&adoption->adopted);
    adoption->after_ns = threadclock_total_tick_ns();
    return NULL;
}

/* If another thread got the entry now, the thread that left its times there would read the other's times. */
enum { OTHERS_NS = 8 * NS_PER_MS /* less than what counts as a restore */ };
enum { QUEUE = 256 }; /* entries.c: more end before one is used again */

static void *have_all_entries(void *unused)
{
    burn_user_ns(OTHERS_NS);
    for (uint64_t id = 2000; id <= 2000 + QUEUE + 1; id++) {
        threadclock_thread handle;
        struct threadclock_times times;
        assert_in_any_thread(tc_java_thread_register(id, 0, &handle) == 0);
        assert_in_any_thread(threadclock_thread_times(handle, &times) == 0 && times.total_ns >= OTHERS_NS);
        tc_threads_end(id);
    }
    return unused;
}

TEST(a_registration_that_is_forgotten_leaves_its_thread_alone)
{
    struct adoption adoption;
    pthread_t thread;
    threadclock_thread handle, found;
    struct threadclock_times times;
    pthread_barrier_init(&adoption.known, NULL, 2);
    pthread_barrier_init(&adoption.adopted, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, live_on, &adoption), 0);
    pthread_barrier_wait(&adoption.known);
    assert_int_equal(tc_java_thread_register(99, adoption.tid, &handle), 0);
    tc_epoch_advance();
    pthread_barrier_wait(&adoption.adopted);
    pthread_barrier_wait(&adoption.known);
    tc_threads_forget(handle);
    assert_int_equal(tc_threads_find(99, &found), -ESRCH);
    assert_int_equal(threadclock_thread_times(handle, &times), -ESRCH);
    in_new_thread(have_all_entries, NULL);
    pthread_barrier_wait(&adoption.adopted);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(adoption.after_ns >= adoption.first_total_ns && adoption.after_ns < OTHERS_NS);
}

/*
 * A thread whose registration ends, and for which there is no memory for another: it keeps its own account.
 * Another thread then gets its old entry, and the times there are not its own.
 */
static void *burn_and_stay(void *argument)
{
    struct adoption *adoption = argument;
    adoption->tid = gettid();
    burn_user_ns(9 * NS_PER_MS); /* less than the step that counts as a restore */
    pthread_barrier_wait(&adoption->known);
    pause();
    return NULL;
}

TEST_IN_FILTERED_CHILD(a_thread_that_cannot_be_registered_again_keeps_its_own_account,
                       UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER ? "sanitizers need memory themselves"
                                                                         : NULL)
{
    struct adoption adoption;
    pthread_t thread;
    threadclock_thread own, other;
    struct threadclock_times times;
    pthread_barrier_init(&adoption.known, NULL, 2);
    if (pthread_create(&thread, NULL, burn_and_stay, &adoption) != 0)
        return false;
    pthread_barrier_wait(&adoption.known);
    if (tc_java_thread_register(1, 0, &own) != 0 || threadclock_total_tick_ns() < 0
        || DENY(ENOMEM, SYS_mmap) != 0)
        return false;
    uint64_t id = 1000;
    while (tc_java_thread_register(id, (pid_t)(1000000 + id), &other) == 0)
        id++;
    if (tc_java_thread_register(2, 0, &own) != -ENOMEM || threadclock_total_tick_ns() > thread_cpu_ns())
        return false;
    for (uint64_t ended = 1000; ended < id; ended++)
        tc_threads_end(ended);
    for (id = 5000;
         tc_java_thread_register(id, adoption.tid, &other) == 0 && (uint32_t)other != (uint32_t)own; id++)
        tc_threads_end(id);
    usleep(5000); /* longer than a tick: the next read is not cached */
    return threadclock_thread_times(other, &times) == 0 && times.total_ns >= 9 * NS_PER_MS
           && threadclock_total_tick_ns() <= thread_cpu_ns() && threadclock_total_now_ns() <= thread_cpu_ns();
}
