/* SPDX-License-Identifier: Apache-2.0 */
/* All threads of the process by their TIDs: each once, with its name and its own time. */
#include "seccomp.h"
#include "seen.h"
#include "sleeper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "entries.h"
#include "threads.h"

static _Atomic bool stop;

/*
 * When it is unknown whether a TID still belongs to the same thread, reads fail and change nothing: here, of
 * a thread whose filter, which applies to that thread only, refuses the calls that would show it.
 */
static void *read_without_proc(void *tid)
{
    struct threadclock_times times;
    assert_in_any_thread(threadclock_tid_times(*(pid_t *)tid, &times) == 0);
    assert_in_any_thread(DENY(EPERM, SYS_newfstatat, SYS_openat) == 0);
    assert_in_any_thread(threadclock_tid_times(*(pid_t *)tid, &times) == -EPERM);
    assert_in_any_thread(threadclock_all_threads(rows, ROWS) == -EPERM);
    assert_in_any_thread(threadclock_total_now_ns() >= 0);
    return NULL;
}

static bool a_reader_that_cannot_know_changes_nothing(void *unused)
{
    struct sleeper sleeper;
    struct threadclock_times times;
    start_sleeper(&sleeper, "sleeper", 50 * NS_PER_MS);
    pid_t main = gettid();
    uint64_t serial = row_of(sleeper.tid, all_rows())->serial, own_serial = row_of(main, all_rows())->serial;
    in_new_thread(read_without_proc, &sleeper.tid);
    in_new_thread(read_without_proc, &main);
    burn_user_ns(50 * NS_PER_MS);
    int64_t before_ns = thread_cpu_ns(), own_ns = threadclock_total_now_ns(), after_ns = thread_cpu_ns();
    bool right = own_ns >= before_ns && own_ns <= after_ns && threadclock_tid_times(sleeper.tid, &times) == 0
                 && times.total_ns == kernel_ns(sleeper.tid)
                 && row_of(sleeper.tid, all_rows())->serial == serial
                 && row_of(main, all_rows())->serial == own_serial;
    end_sleeper(&sleeper);
    return right;
}

/* If only the thread's folder is refused, its stat file is enough. */
static bool the_start_decides_alone(void *unused)
{
    struct sleeper sleeper;
    struct threadclock_times times;
    start_sleeper(&sleeper, "sleeper", 50 * NS_PER_MS);
    uint64_t serial = row_of(sleeper.tid, all_rows())->serial;
    bool right = DENY(ENOSYS, SYS_newfstatat) == 0 && threadclock_tid_times(sleeper.tid, &times) == 0
                 && times.total_ns == kernel_ns(sleeper.tid)
                 && row_of(sleeper.tid, all_rows())->serial == serial;
    end_sleeper(&sleeper);
    return right && threadclock_tid_times(sleeper.tid, &times) == -ESRCH;
}

TEST(what_cannot_be_known_changes_nothing)
{
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    for (int i = 0; i < 5; i++)
        assert_true(true_in_child(fork, a_reader_that_cannot_know_changes_nothing, NULL));
    assert_true(true_in_child(fork, the_start_decides_alone, NULL));
}

/* It started at least a tick of /proc before its registration, which is all that is known of it at first. */
TEST(a_thread_with_an_id_is_known_by_that_and_stays_the_same_afterwards)
{
    struct sleeper sleeper;
    threadclock_thread registration;
    start_sleeper(&sleeper, "sleeper", 50 * NS_PER_MS);
    assert_int_equal(tc_java_thread_register(12345, sleeper.tid, &registration), 0);
    assert_int_equal(tc_threads_tid(12345), sleeper.tid);
    struct threadclock_thread_row row = *row_of(sleeper.tid, tc_all_threads(rows, ROWS)), again = row;
    assert_string_equal(row.name, "");
    assert_int_equal(row.times.total_ns, kernel_ns(sleeper.tid));
    assert_int_equal(tc_row_read_again(&again), 0);
    assert_memory_equal(&again, &row, sizeof row);
    for (int i = 0; i < 3; i++) {
        const struct threadclock_thread_row *named = row_of(sleeper.tid, all_rows());
        assert_string_equal(named->name, "sleeper");
        assert_int_equal(named->serial, row.serial);
        assert_int_equal(named->times.total_ns, row.times.total_ns);
        if (i == 0)
            tc_threads_forget(registration);
    }
    assert_int_equal(tc_threads_tid(12345), -ESRCH);
    end_sleeper(&sleeper);
    assert_int_equal(tc_row_read_again(&again), -ESRCH);
}

TEST(each_thread_is_there_once)
{
    static const char *const names[] = {"one", "two words", "a) b (c", "fifteen letters"};
    struct sleeper sleepers[4];
    assert_int_equal(all_rows(), 1);
    for (int i = 0; i < 4; i++)
        start_sleeper(&sleepers[i], names[i], (i + 1) * 20 * NS_PER_MS);
    assert_int_equal(threadclock_all_threads(NULL, 0), 5);
    for (int pass = 0; pass < 3; pass++) {
        assert_int_equal(all_rows(), 5);
        assert_int_equal(rows[0].tid, getpid());
        for (int i = 0; i < 4; i++) {
            const struct threadclock_thread_row *row = &rows[i + 1];
            assert_int_equal(row->tid, sleepers[i].tid);
            assert_string_equal(row->name, names[i]);
            assert_int_equal(row->times.total_ns, kernel_ns(row->tid));
            assert_true(row->times.total_ns >= sleepers[i].burn_ns);
            assert_true(row->times.user_ns + row->times.system_ns <= row->times.total_ns);
            assert_true(row->serial != 0 && row->serial != rows[i].serial);
        }
    }
    struct threadclock_thread_row two[2];
    assert_int_equal(threadclock_all_threads(two, 2), 5);
    assert_int_equal(two[1].tid, sleepers[0].tid);
    assert_int_equal(threadclock_all_threads(NULL, 1), -EINVAL);
    for (int i = 0; i < 4; i++)
        end_sleeper(&sleepers[i]);
    assert_int_equal(all_rows(), 1);
}

TEST(one_thread_is_read_by_its_tid)
{
    struct sleeper sleeper;
    struct threadclock_times times, bulk;
    start_sleeper(&sleeper, "one", 50 * NS_PER_MS);
    assert_int_equal(threadclock_tid_times(sleeper.tid, &times), 0);
    assert_int_equal(times.total_ns, kernel_ns(sleeper.tid));
    assert_true(times.user_ns >= 25 * NS_PER_MS);
    bulk = row_of(sleeper.tid, all_rows())->times;
    assert_memory_equal(&times, &bulk, sizeof times);
    end_sleeper(&sleeper);
    assert_true(sleeper.own_ns >= times.total_ns);
    assert_int_equal(threadclock_tid_times(sleeper.tid, &times), -ESRCH);
    assert_int_equal(threadclock_tid_times(0, &times), -EINVAL);
    assert_int_equal(threadclock_tid_times(-1, &times), -EINVAL);
    assert_int_equal(threadclock_tid_times(getppid(), &times), -ESRCH); /* of another process */
    assert_int_equal(threadclock_tid_times(getpid(), NULL), -EINVAL);
    assert_int_equal(threadclock_tid_times(getpid(), &times), 0);
}

TEST(a_java_thread_is_read_by_its_id)
{
    struct sleeper first, second;
    struct threadclock_times times;
    start_sleeper(&first, "first", 10 * NS_PER_MS);
    start_sleeper(&second, "second", 20 * NS_PER_MS);
    assert_int_equal(tc_known_java_thread_times(7, &times), -ENOENT);
    assert_int_equal(tc_java_thread_times(first.tid, 6, &times), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tc_java_thread_times(second.tid, 7, &times), 0);
        assert_int_equal(tc_known_java_thread_times(7, &times), 0);
        assert_int_equal(times.total_ns, kernel_ns(second.tid));
        if (i == 0)
            end_sleeper(&first);
        all_rows(); /* moves the second to the place of the first */
        assert_int_equal(tc_known_java_thread_times(6, &times), -ENOENT);
    }
    end_sleeper(&second);
    all_rows();
    assert_int_equal(tc_known_java_thread_times(7, &times), -ENOENT);
}

/* A pass that a handler interrupts holds up no reader, except where it adds or removes a thread. */
static _Atomic bool was_read;
static _Atomic int begun, ended, held_up; /* of the handler's runs */

static void wait_for_the_read(int signal)
{
    begun++;
    for (int ms = 0; ms < 300 && !was_read; ms++)
        usleep(1000);
    held_up += !was_read;
    ended++;
}

static void *pass_until_stopped(void *unused)
{
    struct threadclock_thread_row few[1];
    while (!stop)
        threadclock_all_threads(few, 1);
    return unused;
}

TEST(a_read_by_tid_does_not_wait_for_a_pass)
{
    enum { SLEEPERS = 100, READS = 20 };
    static struct sleeper sleepers[SLEEPERS];
    struct sigaction action = {.sa_handler = wait_for_the_read}, before;
    struct threadclock_times times;
    pthread_t passing;
    for (int i = 0; i < SLEEPERS; i++)
        start_sleeper(&sleepers[i], "sleeper", 0);
    all_rows();
    stop = false;
    sigaction(SIGUSR1, &action, &before);
    assert_int_equal(pthread_create(&passing, NULL, pass_until_stopped, NULL), 0);
    for (int i = 0; i < READS; i++) {
        usleep(2000);
        was_read = false;
        pthread_kill(passing, SIGUSR1);
        while (begun == i)
            usleep(100);
        assert_int_equal(threadclock_tid_times(sleepers[i].tid, &times), 0);
        was_read = true;
        while (ended == i)
            usleep(100);
    }
    stop = true;
    assert_int_equal(pthread_join(passing, NULL), 0);
    sigaction(SIGUSR1, &before, NULL);
    for (int i = 0; i < SLEEPERS; i++)
        end_sleeper(&sleepers[i]);
    assert_true(held_up < READS / 2);
}

/* Nor do they need a listing of all: it is refused here. */
TEST_IN_FILTERED_CHILD(reads_by_tid_do_not_list_the_others, NULL)
{
    enum { MANY = 300 };
    static struct sleeper sleepers[MANY];
    struct threadclock_times times;
    bool read = true;
    if (DENY(EPERM, SYS_getdents64) != 0)
        return true;
    for (int i = 0; i < MANY; i++)
        start_sleeper(&sleepers[i], "many", 0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < MANY; i++)
            read &= threadclock_tid_times(sleepers[i].tid, &times) == 0
                    && times.total_ns == kernel_ns(sleepers[i].tid);
    for (int i = 0; i < MANY; i++)
        end_sleeper(&sleepers[i]);
    for (int i = 0; i < MANY; i++)
        read &= threadclock_tid_times(sleepers[i].tid, &times) == -ESRCH;
    return read && threadclock_all_threads(rows, ROWS) == -EPERM;
}

/*
 * One thread read in every possible way, and registered only part of the time: its own account and that by
 * its TID are separate, and neither decreases. operations_test has threads that are registered all the time.
 */
static pid_t watched;
static _Atomic uint64_t watched_serial;
static struct seen seen, seen_itself;

static int by_tid(struct threadclock_times *times)
{
    return threadclock_tid_times(watched, times);
}

static int by_pass(struct threadclock_times *times)
{
    struct threadclock_thread_row few[16];
    int64_t count = threadclock_all_threads(few, 16);
    for (int64_t i = 0; i < count && i < 16; i++) {
        if (few[i].tid == watched) {
            assert_in_any_thread(watched_serial == 0 || few[i].serial == watched_serial);
            watched_serial = few[i].serial;
            *times = few[i].times;
            return 0;
        }
    }
    return -ESRCH;
}

static void *watch(void *read)
{
    while (!stop)
        check_read(&seen, (int (*)(struct threadclock_times *))read);
    return NULL;
}

static void now_and_then_register(int64_t read)
{
    threadclock_thread handle;
    if (read % 500 == 100)
        assert_in_any_thread(threadclock_thread_register(&handle) == 0);
    if (read % 500 == 400)
        assert_in_any_thread(threadclock_thread_unregister() == 0);
}

TEST_IN_NEW_THREAD(no_reader_sees_less_than_it_has_seen_while_registrations_come_and_go)
{
    pthread_t watchers[3];
    unsigned seed = 7;
    int64_t end_ns = monotonic_ns() + setting("THREADCLOCK_WATCH_MS", 3000) * NS_PER_MS;
    stop = false;
    watched = gettid();
    for (int i = 0; i < 3; i++) {
        void *reader = (void *)(i == 0 ? by_tid : by_pass);
        assert_in_any_thread(pthread_create(&watchers[i], NULL, watch, reader) == 0);
    }
    for (int64_t i = 0; monotonic_ns() < end_ns || i < 1000; i++) {
        check_read(&seen_itself, rand_r(&seed) % 8 == 0 ? threadclock_times_now : threadclock_times_tick);
        if (i % 2000 == 0)
            burn_system_ns(NS_PER_MS);
        now_and_then_register(i);
    }
    stop = true;
    for (int i = 0; i < 3; i++)
        assert_in_any_thread(pthread_join(watchers[i], NULL) == 0);
    assert_in_any_thread(watched_serial != 0);
    threadclock_thread_unregister(); /* in case the loop ended while registered */
}

/* Threads start and end during passes: no live thread is missing for good, and no time is invented. */
static void *burn_a_little(void *unused)
{
    burn_user_ns(200000);
    return unused;
}

static _Atomic pid_t starter;

static void *come_and_go(void *unused)
{
    starter = gettid();
    while (!stop) {
        pthread_t threads[8];
        for (int i = 0; i < 8; i++)
            assert_in_any_thread(pthread_create(&threads[i], NULL, burn_a_little, NULL) == 0);
        for (int i = 0; i < 8; i++)
            assert_in_any_thread(pthread_join(threads[i], NULL) == 0);
    }
    return unused;
}

TEST(passes_go_on_while_threads_come_and_go)
{
    struct sleeper stays;
    pthread_t churner;
    stop = false;
    start_sleeper(&stays, "stays", 5 * NS_PER_MS);
    assert_int_equal(pthread_create(&churner, NULL, come_and_go, NULL), 0);
    int64_t end_ns = monotonic_ns() + 2 * (int64_t)NS_PER_S, most = 0;
    uint64_t serial = 0;
    while (monotonic_ns() < end_ns) {
        int64_t count = all_rows();
        most = count > most ? count : most;
        const struct threadclock_thread_row *row = row_of(stays.tid, count);
        assert_non_null(row);
        assert_true(serial == 0 || row->serial == serial);
        serial = row->serial;
        assert_int_equal(row->times.total_ns, kernel_ns(stays.tid));
        for (int64_t i = 0; i < count; i++)
            assert_true(rows[i].tid == getpid() || rows[i].tid == stays.tid || rows[i].tid == starter
                        || rows[i].times.total_ns < NS_PER_S);
    }
    stop = true;
    assert_int_equal(pthread_join(churner, NULL), 0);
    assert_true(most >= 2);
    end_sleeper(&stays);
    while (tasks_of_process() > 1)
        usleep(100);
    assert_int_equal(all_rows(), 1);
    assert_int_equal(tc_entries_standing(), 0);
}

TEST(ten_thousand_threads_are_read)
{
    enum { MANY = 10000 };
    static struct sleeper many[MANY];
    int started = 0;
    while (started < MANY && create_sleeper(&many[started], "many", 0, sleep_until_let_go) == 0)
        started++;
    assert_true(started > 100);
    for (int i = 0; i < started; i++)
        pthread_barrier_wait(&many[i].ready);
    for (int pass = 0; pass < 3; pass++)
        assert_int_equal(all_rows(), started + 1);
    assert_string_equal(row_of(many[started - 1].tid, started + 1)->name, "many");
    for (int i = 0; i < started; i++)
        end_sleeper(&many[i]);
    assert_int_equal(all_rows(), 1);
}

static bool child_sees_itself_alone(void *unused)
{
    struct threadclock_times times;
    if (threadclock_all_threads(rows, ROWS) != 1 || rows[0].tid != getpid()
        || rows[0].times.total_ns > 50 * NS_PER_MS)
        return false;
    return threadclock_tid_times(getppid(), &times) == -ESRCH && threadclock_tid_times(getpid(), &times) == 0;
}

TEST(a_child_sees_itself_alone)
{
    struct sleeper sleeper;
    start_sleeper(&sleeper, "sleeper", 60 * NS_PER_MS);
    assert_int_equal(all_rows(), 2);
    for (int i = 0; i < 20; i++)
        assert_true(true_in_child(i % 2 ? fork : raw_fork, child_sees_itself_alone, NULL));
    end_sleeper(&sleeper);
}

TEST(the_process_is_the_sum_of_its_threads)
{
    struct sleeper sleeper;
    struct threadclock_times before, after;
    assert_int_equal(threadclock_process_times(&before), 0);
    start_sleeper(&sleeper, "sleeper", 100 * NS_PER_MS);
    int64_t count = all_rows(), sum_ns = 0;
    for (int64_t i = 0; i < count; i++)
        sum_ns += rows[i].times.total_ns;
    end_sleeper(&sleeper);
    assert_int_equal(threadclock_process_times(&after), 0);
    assert_true(after.total_ns - before.total_ns >= 100 * NS_PER_MS);
    assert_true(after.total_ns >= sum_ns);
    assert_int_equal(threadclock_process_times(NULL), -EINVAL);
}

/*
 * A thread that is all user when its TID is read, and all system when it has registered: the two accounts
 * differ in the split, but neither decreases, until they have caught up.
 */
static bool is_split_anew;

static void *be_split_anew(void *unused)
{
    struct threadclock_times early, at_first, by_its_tid, at_last;
    threadclock_thread handle;
    burn_user_ns(NS_PER_MS);
    assert_in_any_thread(threadclock_tid_times(gettid(), &early) == 0);
    assert_in_any_thread(threadclock_thread_register(&handle) == 0);
    burn_system_ns(8 * NS_PER_MS);
    assert_in_any_thread(threadclock_times_now(&at_first) == 0);
    is_split_anew = early.system_ns == 0 && at_first.user_ns < early.user_ns;
    bool differ = is_split_anew;
    for (int rounds = 0; differ && rounds < 5000; rounds++) { /* as many as it takes until ticks hit it */
        assert_in_any_thread(threadclock_tid_times(gettid(), &by_its_tid) == 0);
        assert_in_any_thread(threadclock_thread_times(handle, &at_last) == 0);
        assert_in_any_thread(by_its_tid.user_ns >= early.user_ns && by_its_tid.total_ns <= at_last.total_ns);
        assert_in_any_thread(by_its_tid.user_ns + by_its_tid.system_ns <= by_its_tid.total_ns);
        differ = by_its_tid.user_ns > at_last.user_ns || by_its_tid.system_ns > at_last.system_ns;
        burn_user_ns(2 * NS_PER_MS);
    }
    assert_in_any_thread(!differ);
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    return unused;
}

TEST(the_two_accounts_of_a_thread_catch_up)
{
    is_split_anew = false;
    for (int tries = 0; !is_split_anew && tries < 100; tries++)
        in_new_thread(be_split_anew, NULL);
    assert_true(is_split_anew);
}

/*
 * A thread that registers while it is read by its Java id, as in jni.c: what was seen before is not taken
 * back. Before its first tick a thread is all user; if that finds it in the kernel, its clocks have no user
 * time.
 */
static struct {
    struct seen seen;
    _Atomic uint64_t id;
    pid_t tid;
    pthread_barrier_t starts, ends;
} newborn;

static int by_java_id(struct threadclock_times *times)
{
    int error = tc_threads_times_of(newborn.id, times);
    if (error == -ENOENT)
        error = tc_known_java_thread_times(newborn.id, times);
    return error == -ENOENT ? tc_java_thread_times(newborn.tid, newborn.id, times) : error;
}

static void *read_the_newborn(void *unused)
{
    for (;;) {
        pthread_barrier_wait(&newborn.starts);
        if (stop)
            return unused;
        for (int i = 0; i < 200; i++)
            check_read(&newborn.seen, by_java_id);
        pthread_barrier_wait(&newborn.ends);
    }
}

static void *be_born(void *unused)
{
    static unsigned seed = 11;
    threadclock_thread handle;
    newborn.tid = gettid();
    pthread_barrier_wait(&newborn.starts);
    for (int i = rand_r(&seed) % 100; i > 0; i--)
        (void)kernel_ns(newborn.tid);
    pid_t tid = newborn.id % 2 == 0 ? 0 : newborn.tid; /* by itself, or as by another thread */
    assert_in_any_thread(tc_java_thread_register(newborn.id, tid, &handle) == 0);
    for (int i = 0; i < 100; i++)
        (void)kernel_ns(newborn.tid);
    pthread_barrier_wait(&newborn.ends);
    tc_threads_end(newborn.id);
    return unused;
}

TEST(no_reader_by_id_sees_less_than_it_has_seen_of_a_thread_that_registers)
{
    pthread_t readers[2];
    int64_t end_ns = monotonic_ns() + setting("THREADCLOCK_WATCH_MS", 3000) * NS_PER_MS;
    pthread_barrier_init(&newborn.starts, NULL, 3);
    pthread_barrier_init(&newborn.ends, NULL, 3);
    stop = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_the_newborn, NULL), 0);
    for (newborn.id = 1000000; monotonic_ns() < end_ns; newborn.id++) {
        newborn.seen = (struct seen){0};
        in_new_thread(be_born, NULL);
    }
    stop = true;
    pthread_barrier_wait(&newborn.starts);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
}

int main(void)
{
    /* The other tests count the threads of the process, and the thread sanitizer adds its own. */
    const struct CMUnitTest racing[] = {
        cmocka_unit_test(one_thread_is_read_by_its_tid),
        cmocka_unit_test(no_reader_sees_less_than_it_has_seen_while_registrations_come_and_go),
        cmocka_unit_test(no_reader_by_id_sees_less_than_it_has_seen_of_a_thread_that_registers),
    };
    return UNDER_THREAD_SANITIZER ? cmocka_run_group_tests(racing, NULL, NULL) : run_added_tests();
}
