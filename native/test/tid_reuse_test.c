/* SPDX-License-Identifier: Apache-2.0 */
/* A TID that the kernel reuses: the new thread is not taken for the old one. */
#include "sleeper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Makes this the next thread's TID. False: out of range. A thread that was joined keeps its TID until the
 * kernel has released it, which on a loaded machine takes longer than to create another. A file can have as
 * its owner whatever number is not yet free (f_setown, fs/fcntl.c).
 */
static bool next_tid_is(pid_t tid)
{
    char text[16];
    int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    int size = snprintf(text, sizeof text, "%d", tid - 1);
    while (file >= 0 && fcntl(file, F_SETOWN, tid) == 0)
        usleep(100);
    bool done = file >= 0 && write(file, text, (size_t)size) == size;
    if (file >= 0)
        close(file);
    return done;
}

static void *do_nothing(void *unused)
{
    return unused;
}

/*
 * Starts a thread with a TID far above this one or, if that is out of range, far above the smallest. TIDs are
 * allocated in a circle, so allocation always gets this far before it reuses a TID. It never goes back by
 * less than a circle.
 */
static void go_far_past(pid_t tid)
{
    enum { FAR = 1000, FIRST = 301 /* RESERVED_PIDS + 1, kernel/pid.c */ };
    if (!next_tid_is(tid + FAR))
        next_tid_is(FIRST + FAR);
    in_new_thread(do_nothing, NULL);
}

static void another_process_starts(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void *read_oneself(void *argument)
{
    struct sleeper *sleeper = argument;
    sleeper->own_ns = threadclock_total_tick_ns(); /* the first read looks up what is stored for this TID */
    return sleep_until_let_go(argument);
}

/*
 * The old thread is read in passes, singly, or not at all; the new one reads itself first, or never. Sleepers
 * are static: they still wait when a test has failed and returned.
 */
TEST(a_tid_used_again_is_another_thread)
{
    static struct sleeper old, young;
    for (int round = 0; round < 24; round++) {
        struct threadclock_times times;
        start_sleeper(&old, "old", 30 * NS_PER_MS);
        go_far_past(old.tid);
        uint64_t serial = row_of(old.tid, all_rows())->serial;
        end_sleeper(&old);
        if (round % 4 == 0)
            assert_null(row_of(old.tid, all_rows()));
        assert_true(next_tid_is(old.tid));
        void *(*life)(void *) = round % 2 ? read_oneself : sleep_until_let_go;
        assert_int_equal(create_sleeper(&young, "young", 0, life), 0);
        pthread_barrier_wait(&young.ready);
        another_process_starts();
        assert_int_equal(young.tid, old.tid);
        assert_true(young.own_ns < 20 * NS_PER_MS);
        if (round % 8 < 4) {
            assert_int_equal(threadclock_tid_times(young.tid, &times), 0);
            assert_true(times.total_ns < 20 * NS_PER_MS);
        }
        const struct threadclock_thread_row *row = row_of(young.tid, all_rows());
        assert_non_null(row);
        assert_true(row->times.total_ns < 20 * NS_PER_MS);
        assert_int_not_equal(row->serial, serial);
        assert_string_equal(row->name, "young");
        end_sleeper(&young);
    }
}

/*
 * A thread that does not unregister before it exits leaves a registration behind: it must not pass to the
 * next thread with its TID.
 */
enum { LEFT_BEHIND_NS = 8 * NS_PER_MS, YOUNG_AT_MOST_NS = 5 * NS_PER_MS };

struct left_behind {
    pid_t tid;
    threadclock_thread handle;
    int64_t own_ns, registered_ns;
};

static void *leave_behind(void *argument)
{
    struct left_behind *old = argument;
    old->tid = gettid();
    assert_in_any_thread(threadclock_thread_register(&old->handle) == 0);
    burn_user_ns(LEFT_BEHIND_NS);
    assert_in_any_thread(threadclock_total_now_ns() >= LEFT_BEHIND_NS);
    return NULL;
}

static void *come_after(void *argument)
{
    struct left_behind *young = argument;
    young->tid = gettid();
    young->own_ns = threadclock_total_tick_ns();
    assert_in_any_thread(threadclock_thread_register(&young->handle) == 0);
    young->registered_ns = threadclock_total_tick_ns();
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    return NULL;
}

TEST(a_registration_left_behind_is_not_the_next_threads)
{
    for (int round = 0; round < 10; round++) {
        struct left_behind old, young;
        struct threadclock_times times;
        in_new_thread(leave_behind, &old);
        assert_true(next_tid_is(old.tid));
        in_new_thread(come_after, &young);
        assert_int_equal(young.tid, old.tid);
        assert_true(young.own_ns < YOUNG_AT_MOST_NS && young.registered_ns < YOUNG_AT_MOST_NS);
        assert_int_not_equal(young.handle, old.handle);
        assert_int_equal(threadclock_thread_times(old.handle, &times), -ESRCH);
    }
}

/*
 * A read by the TID does not take it for the new thread's either. The two start in different units of the
 * start time in /proc, of 10 ms, as they do unless all TIDs are given within one.
 */
TEST(a_registration_left_behind_is_not_read)
{
    static struct sleeper young;
    for (int round = 0; round < 10; round++) {
        struct left_behind old;
        struct threadclock_times times;
        in_new_thread(leave_behind, &old);
        usleep(10000);
        assert_true(next_tid_is(old.tid));
        start_sleeper(&young, "young", 0);
        assert_int_equal(young.tid, old.tid);
        assert_int_equal(threadclock_tid_times(young.tid, &times), 0);
        assert_true(times.total_ns <= kernel_ns(young.tid));
        times = row_of(young.tid, all_rows())->times;
        assert_true(times.total_ns <= kernel_ns(young.tid));
        end_sleeper(&young);
    }
}

enum { MANY = 200 }; /* enough for a list that may be reused */

TEST(a_tid_used_again_is_another_thread_among_many)
{
    static struct sleeper many[MANY];
    for (int i = 0; i < MANY; i++)
        start_sleeper(&many[i], "many", 0);
    a_tid_used_again_is_another_thread(state);
    for (int i = 0; i < MANY; i++)
        end_sleeper(&many[i]);
}

/* The counter by which TIDs are chosen belongs to a PID namespace: in ours no other process is disturbed. */
static bool enter_pid_namespace(void)
{
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
        return false;
    pid_t init = fork();
    if (init == 0)
        return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
               && mount("proc", "/proc", "proc", 0, NULL) == 0
               && access("/proc/sys/kernel/ns_last_pid", W_OK) == 0; /* CONFIG_CHECKPOINT_RESTORE */
    int status;
    _exit(init > 0 && waitpid(init, &status, 0) == init && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(void)
{
    if (!enter_pid_namespace())
        return skip_all("no PID namespace whose next TID can be chosen");
    return run_added_tests();
}
