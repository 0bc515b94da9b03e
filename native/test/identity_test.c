/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When it is unknown whether a TID still belongs to the same thread, reads fail, and no account ends or
 * changes owner.
 */
#include "sleeper.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "seccomp.h"

enum { BURNT_NS = 50 * NS_PER_MS };

/* A thread whose filter, which applies to that thread only, refuses the calls that would show it. */
static void *read_without_proc(void *tid)
{
    static const long refused[] = {SYS_newfstatat, SYS_openat};
    struct threadclock_times times;
    assert_in_any_thread(threadclock_tid_times(*(pid_t *)tid, &times) == 0);
    assert_in_any_thread(deny_system_calls(refused, 2, EPERM) == 0);
    assert_in_any_thread(threadclock_tid_times(*(pid_t *)tid, &times) == -EPERM);
    assert_in_any_thread(threadclock_all_threads(rows, ROWS) == -EPERM);
    assert_in_any_thread(threadclock_total_now_ns() >= 0);
    return NULL;
}

static bool a_reader_that_cannot_know_changes_nothing(void *unused)
{
    struct sleeper sleeper;
    struct threadclock_times times;
    start_sleeper(&sleeper, "sleeper", BURNT_NS);
    pid_t main = gettid();
    uint64_t serial = row_of(sleeper.tid, all_rows())->serial, own_serial = row_of(main, all_rows())->serial;
    in_new_thread(read_without_proc, &sleeper.tid);
    in_new_thread(read_without_proc, &main);
    burn_user_ns(BURNT_NS);
    int64_t before_ns = thread_cpu_ns(), own_ns = threadclock_total_now_ns(), after_ns = thread_cpu_ns();
    bool right = own_ns >= before_ns && own_ns <= after_ns && threadclock_tid_times(sleeper.tid, &times) == 0
                 && times.total_ns == kernel_ns(sleeper.tid)
                 && row_of(sleeper.tid, all_rows())->serial == serial
                 && row_of(main, all_rows())->serial == own_serial;
    end_sleeper(&sleeper);
    return right;
}

static void refusals(void **state)
{
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    for (int i = 0; i < 5; i++)
        assert_true(true_in_child(fork, a_reader_that_cannot_know_changes_nothing, NULL));
}

/* If only the thread's folder is refused, its stat file is enough. */
static bool the_start_decides_alone(void *unused)
{
    static const long refused[] = {SYS_newfstatat};
    struct sleeper sleeper;
    struct threadclock_times times;
    start_sleeper(&sleeper, "sleeper", BURNT_NS);
    uint64_t serial = row_of(sleeper.tid, all_rows())->serial;
    bool right = deny_system_calls(refused, 1, ENOSYS) == 0 && threadclock_tid_times(sleeper.tid, &times) == 0
                 && times.total_ns == kernel_ns(sleeper.tid)
                 && row_of(sleeper.tid, all_rows())->serial == serial;
    end_sleeper(&sleeper);
    return right && threadclock_tid_times(sleeper.tid, &times) == -ESRCH;
}

static void inodes_refused(void **state)
{
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    assert_true(true_in_child(fork, the_start_decides_alone, NULL));
}

static void too_many_open_files(void **state)
{
    struct sleeper known, unknown;
    struct threadclock_times times;
    struct rlimit limit, none;
    start_sleeper(&known, "known", BURNT_NS);
    uint64_t serial = row_of(known.tid, all_rows())->serial;
    start_sleeper(&unknown, "unknown", BURNT_NS);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int known_error = threadclock_tid_times(known.tid, &times),
        unknown_error = threadclock_tid_times(unknown.tid, &times);
    int64_t count = threadclock_all_threads(rows, ROWS), own_ns = threadclock_user_now_ns();
    int proc_error = threadclock_proc_times(0, &times);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(known_error, 0); /* its folder's inode is enough */
    assert_int_equal(unknown_error, -EMFILE);
    assert_int_equal(count, -EMFILE);
    assert_int_equal(proc_error, -EMFILE);
    assert_true(own_ns >= 0);
    int64_t rows_count = all_rows();
    assert_int_equal(row_of(known.tid, rows_count)->serial, serial);
    assert_int_equal(row_of(unknown.tid, rows_count)->times.total_ns, kernel_ns(unknown.tid));
    end_sleeper(&known);
    end_sleeper(&unknown);
}

/* The first process of a PID namespace with its parent's /proc: the TIDs there are other threads' here. */
static bool another_namespaces_proc_is_refused(void *unused)
{
    struct threadclock_times times;
    int64_t before_ns = thread_cpu_ns();
    return getpid() == 1 && threadclock_all_threads(rows, ROWS) == -EREMOTE
           && threadclock_tid_times(1, &times) == -EREMOTE && threadclock_proc_times(1, &times) == -EREMOTE
           && threadclock_proc_times(0, &times) == 0 && times.total_ns <= before_ns + 10 * NS_PER_MS
           && threadclock_total_now_ns() >= before_ns;
}

static bool in_new_pid_namespace(void *unused)
{
    return unshare(CLONE_NEWPID) == 0 && true_in_child(fork, another_namespaces_proc_is_refused, unused);
}

static void another_pid_namespace(void **state)
{
    if (!pid_namespaces_can_be_made())
        skip_because("PID namespaces cannot be made here");
    assert_true(true_in_child(fork, in_new_pid_namespace, NULL));
}

static bool without_proc_nothing_is_said_of_others(void *empty)
{
    struct threadclock_times times;
    int64_t count = threadclock_all_threads(rows, ROWS);
    if (count < 1 || chroot(empty) != 0)
        return false;
    burn_user_ns(10 * NS_PER_MS);
    return threadclock_all_threads(rows, ROWS) == -ENOENT
           && threadclock_tid_times(gettid(), &times) == -ENOENT
           && threadclock_proc_times(0, &times) == -ENOENT && threadclock_times_now(&times) == 0
           && times.total_ns >= 10 * NS_PER_MS;
}

static bool may_chroot(void *empty)
{
    return chroot(empty) == 0;
}

static void no_proc(void **state)
{
    char empty[] = "/tmp/threadclock-XXXXXX";
    assert_non_null(mkdtemp(empty));
    bool may = true_in_child(fork, may_chroot, empty),
         right = true_in_child(fork, without_proc_nothing_is_said_of_others, empty);
    rmdir(empty);
    if (!may)
        skip_because("chroot is not permitted here");
    assert_true(right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(inodes_refused),
        cmocka_unit_test(too_many_open_files),
        cmocka_unit_test(another_pid_namespace),
        cmocka_unit_test(no_proc),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
