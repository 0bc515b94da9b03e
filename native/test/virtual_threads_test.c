/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts of virtual threads: each holds exactly its thread's slices, whatever reads and switches go on. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpolated.h"
#include "seen.h"
#include "tick.h"
#include "virtual_threads.h"

static struct tc_virtual_times own(uint64_t id, enum threadclock_freshness freshness)
{
    struct tc_virtual_times times;
    assert_int_equal(tc_virtual_own_times(id, freshness, &times), 0);
    return times;
}

/* Works on a virtual thread; returns the CPU time by the kernel's clock, read around the switches. */
static int64_t slice(tc_virtual account, void (*work)(int64_t), int64_t ns)
{
    int64_t before_ns = thread_cpu_ns();
    tc_virtual_mount(account);
    work(ns);
    tc_virtual_unmount();
    return thread_cpu_ns() - before_ns;
}

/* A thread without an account fails, and never gets a carrier's time. First: nothing was allowed before. */
TEST(without_an_account_there_is_no_time)
{
    struct tc_virtual_times times;
    assert_int_equal(tc_virtual_own_times(1, THREADCLOCK_NOW, &times), -ENOENT);
    assert_int_equal(tc_virtual_begin(1, 0, true, tc_virtual_epoch()), 0); /* not allowed */
    assert_int_equal(tc_virtual_times(0, &times), -ESRCH);
    assert_false(tc_virtual_mount(0));

    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW);
    tc_virtual account = tc_virtual_begin(1, 0, true, epoch);
    assert_true(tc_virtual_mount(account));
    own(1, THREADCLOCK_TICK);
    assert_int_equal(tc_virtual_own_times(2, THREADCLOCK_NOW, &times), -ENOENT); /* another is mounted */
    tc_virtual_forbid();
    assert_int_equal(tc_virtual_own_times(1, THREADCLOCK_NOW, &times), -ENOENT);
    assert_int_equal(tc_virtual_times(account, &times), -ESRCH);

    assert_int_equal(tc_virtual_begin(1, 0, true, epoch), 0); /* that epoch has passed */
    tc_virtual_allow(THREADCLOCK_NOW);
    assert_int_equal(tc_virtual_begin(1, 0, true, epoch), 0);
    assert_false(tc_virtual_mount(account));
    assert_int_equal(tc_virtual_own_times(1, THREADCLOCK_NOW, &times), -ENOENT);
    tc_virtual_unmount();
    tc_virtual_forbid();
}

TEST(slices_add_up)
{
    static const enum threadclock_freshness clocks[] = {THREADCLOCK_INTERPOLATED, THREADCLOCK_NOW};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        uint32_t epoch = tc_virtual_allow(clocks[i]);
        tc_virtual accounts[3] = {tc_virtual_begin(1, 0, true, epoch), tc_virtual_begin(2, 0, true, epoch),
                                  tc_virtual_begin(3, 0, true, epoch)};
        int64_t true_ns[3] = {0}, sum_ns = 0;
        int64_t before_ns = thread_cpu_ns();
        for (int round = 0; round < 30; round++)
            for (int which = 0; which < 3; which++)
                true_ns[which] += slice(accounts[which], burn_user_ns, (which + 1) * NS_PER_MS);
        int64_t all_ns = thread_cpu_ns() - before_ns;
        for (int which = 0; which < 3; which++) {
            struct tc_virtual_times times;
            assert_int_equal(tc_virtual_times(accounts[which], &times), 0);
            assert_int_equal(times.times.user_ns + times.times.system_ns, times.times.total_ns);
            assert_true(times.whole);
            assert_true(times.times.total_ns <= true_ns[which] + NS_PER_MS);
            assert_true(times.times.total_ns >= (which + 1) * 30 * (int64_t)NS_PER_MS * 99 / 100);
            sum_ns += times.times.total_ns;
        }
        assert_true(sum_ns <= all_ns + NS_PER_MS);
        tc_virtual_forbid();
        assert_int_equal(tc_virtual_count(), 0);
    }
}

/*
 * What carriers do between switches, on one CPU: they are preempted, wait in a slice for a shorter and for a
 * longer time, also if they work between slices for a shorter or a longer time, and wait there. Each account
 * gets the time of its slices.
 */
enum { PREEMPTED, WAITING, WAITING_LONG, WAITING_AND_BUSY, WAITING_AND_BUSIER, PARKED, SHAPES };
static int requests[2], answers[2];

static void use_ns(int64_t ns)
{
    for (int64_t start_ns = thread_cpu_ns(); thread_cpu_ns() - start_ns < ns;)
        ;
}

/* Works while another thread waits for it. */
static void *be_waited_for(void *unused)
{
    int64_t ns;
    while (read(requests[0], &ns, sizeof ns) == sizeof ns) {
        use_ns(ns);
        assert_in_any_thread(write(answers[1], &ns, sizeof ns) == sizeof ns);
    }
    return unused;
}

static void wait_for(int64_t ns)
{
    assert_in_any_thread(write(requests[1], &ns, sizeof ns) == sizeof ns
                         && read(answers[0], &ns, sizeof ns) == sizeof ns);
}

static void *check_shape(void *argument)
{
    int shape = *(int *)argument;
    enum { ACCOUNTS = 4, ROUNDS = 500, SLICE_NS = 30000 };
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_INTERPOLATED);
    tc_virtual accounts[ACCOUNTS];
    int64_t within_ns[ACCOUNTS] = {0}, around_ns[ACCOUNTS] = {0}; /* the switches, which take time */
    for (int which = 0; which < ACCOUNTS; which++)
        accounts[which] = tc_virtual_begin((uint64_t)which + 1, 0, true, epoch);
    for (int i = 0; i < ROUNDS * ACCOUNTS; i++) {
        int which = i % ACCOUNTS;
        int64_t mount_ns = thread_cpu_ns();
        tc_virtual_mount(accounts[which]);
        int64_t mounted_ns = thread_cpu_ns();
        use_ns(SLICE_NS);
        if (which == 0 && shape >= WAITING && shape < PARKED)
            wait_for(shape == WAITING_LONG ? NS_PER_MS : SLICE_NS);
        within_ns[which] += thread_cpu_ns() - mounted_ns;
        tc_virtual_unmount();
        around_ns[which] += thread_cpu_ns() - mount_ns;
        if (shape == PARKED)
            wait_for(SLICE_NS);
        if (shape == WAITING_AND_BUSY || shape == WAITING_AND_BUSIER)
            use_ns(shape == WAITING_AND_BUSY ? SLICE_NS / 2 : 2 * SLICE_NS);
    }
    for (int which = 0; which < ACCOUNTS; which++) {
        struct tc_virtual_times times;
        assert_in_any_thread(tc_virtual_times(accounts[which], &times) == 0);
        bool right = times.times.total_ns * 100 / within_ns[which] >= 95
                     && times.times.total_ns * 100 / around_ns[which] <= 105;
        if (!right)
            fprintf(stderr, "shape %d, account %d: %lld ns, but %lld within and %lld around\n", shape, which,
                    (long long)times.times.total_ns, (long long)within_ns[which],
                    (long long)around_ns[which]);
        assert_in_any_thread(right);
    }
    tc_virtual_forbid();
    return NULL;
}

/* Several carriers one after another: an interrupt in a gap is CPU time, and may make one wary for good. */
static void check_on_carriers(int shape)
{
    enum { CARRIERS_OF_SHAPE = 4 };
    for (int i = 0; i < CARRIERS_OF_SHAPE; i++)
        in_new_thread(check_shape, &shape);
}

static void *check_shapes(void *unused)
{
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(sched_getcpu(), &cpu);
    assert_in_any_thread(sched_setaffinity(0, sizeof cpu, &cpu) == 0);
    pid_t tested = getpid(), rival = fork();
    assert_in_any_thread(rival >= 0); /* kill(-1) would signal every process */
    if (rival == 0) {
        while (getppid() == tested)
            burn_user_ns(NS_PER_MS);
        _exit(0); /* if it went on, its kill(0) would end the whole process group */
    }
    check_on_carriers(PREEMPTED);
    kill(rival, SIGKILL);
    assert_in_any_thread(waitpid(rival, NULL, 0) == rival && pipe(requests) == 0 && pipe(answers) == 0);
    pthread_t waited_for;
    assert_in_any_thread(pthread_create(&waited_for, NULL, be_waited_for, NULL) == 0);
    for (int shape = WAITING; shape < SHAPES; shape++)
        check_on_carriers(shape);
    close(requests[1]);
    assert_in_any_thread(pthread_join(waited_for, NULL) == 0);
    return unused;
}

TEST(waits_and_preemption_are_no_time)
{
    if (UNDER_THREAD_SANITIZER || tc_monotonic_ns() < 0)
        skip_because("a switch takes about as long as the slices here, and is a part of them");
    in_new_thread(check_shapes, NULL);
}

/* In whole ticks single slices are 0 or too long, but the sum is right. */
TEST(ticks_are_right_in_sums)
{
    tc_virtual account = tc_virtual_begin(1, 0, true, tc_virtual_allow(THREADCLOCK_TICK));
    int64_t true_ns = 0;
    struct tc_virtual_times times;
    for (int round = 0; round < 1000; round++)
        true_ns += slice(account, burn_user_ns, NS_PER_MS / 4);
    assert_int_equal(tc_virtual_times(account, &times), 0);
    assert_in_range(times.times.total_ns, true_ns / 2, true_ns * 3 / 2);
    tc_virtual_forbid();
}

enum { SHARED = 1 << 16 }; /* ids with this distance are in one list */

/* Ids that share a list, an account that has ended in its middle, and one of an epoch that has passed. */
TEST(an_account_is_found_by_its_thread)
{
    enum { ACCOUNTS = 3000 };
    static tc_virtual accounts[ACCOUNTS];
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW);
    for (uint64_t i = 0; i < ACCOUNTS; i++)
        accounts[i] = tc_virtual_begin(1 + i % 100 + i / 100 * SHARED, 0, true, epoch);
    for (uint64_t i = 0; i < ACCOUNTS; i += 2)
        tc_virtual_end(accounts[i]);
    for (uint64_t i = 0; i < ACCOUNTS; i++)
        assert_int_equal(tc_virtual_of(1 + i % 100 + i / 100 * SHARED), i % 2 == 0 ? 0 : accounts[i]);
    assert_int_equal(tc_virtual_of(ACCOUNTS), 0);
    for (uint64_t i = 0; i < ACCOUNTS; i++) {
        struct tc_virtual_times times;
        uint64_t id = 1 + i % 100 + i / 100 * SHARED;
        assert_int_equal(tc_virtual_mount_of(id), i % 2 != 0);
        assert_int_equal(tc_virtual_own_times(id, THREADCLOCK_NOW, &times), i % 2 != 0 ? 0 : -ENOENT);
        assert_true(i % 2 == 0 || times.account == accounts[i]);
        tc_virtual_unmount();
    }
    tc_virtual_end_of(2 + SHARED);
    assert_int_equal(tc_virtual_of(2 + SHARED), 0);
    assert_int_equal(tc_virtual_of(2), accounts[1]);
    tc_virtual_forbid();
    tc_virtual_allow(THREADCLOCK_NOW);
    assert_int_equal(tc_virtual_of(2), 0);
    assert_false(tc_virtual_mount_of(2));
    tc_virtual_forbid();
}

/* With the tick clock, a fresher read would include what ran since the tick, perhaps another thread. */
TEST(a_fresh_read_takes_no_tick_of_another)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_TICK);
    tc_virtual busy = tc_virtual_begin(1, 0, true, epoch), idle = tc_virtual_begin(2, 0, true, epoch);
    struct tc_virtual_times times;
    for (int round = 0; round < 200; round++) {
        slice(busy, burn_user_ns, NS_PER_MS);
        tc_virtual_mount(idle);
        own(2, THREADCLOCK_NOW);
        tc_virtual_unmount();
    }
    assert_int_equal(tc_virtual_times(idle, &times), 0);
    assert_in_range(times.times.total_ns, 0, 50 * NS_PER_MS);
    tc_virtual_forbid();
}

/* Long slices are divided as the kernel divides the carrier's time over them. */
static int64_t kernels_user_ns(tc_virtual account, void (*work)(int64_t))
{
    struct threadclock_times before, after;
    assert_int_equal(threadclock_times_now(&before), 0);
    slice(account, work, 100 * NS_PER_MS);
    assert_int_equal(threadclock_times_now(&after), 0);
    return after.user_ns - before.user_ns;
}

TEST(the_split_is_the_carriers)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_INTERPOLATED);
    tc_virtual user = tc_virtual_begin(1, 0, true, epoch), system = tc_virtual_begin(2, 0, true, epoch);
    struct tc_virtual_times of_user, of_system;
    int64_t user_ns = 0, user_of_system_ns = 0;
    for (int round = 0; round < 4; round++) {
        user_ns += kernels_user_ns(user, burn_user_ns);
        user_of_system_ns += kernels_user_ns(system, burn_system_ns);
    }
    assert_int_equal(tc_virtual_times(user, &of_user), 0);
    assert_int_equal(tc_virtual_times(system, &of_system), 0);
    assert_true(llabs(of_user.times.user_ns - user_ns) < 40 * NS_PER_MS);
    assert_true(llabs(of_system.times.user_ns - user_of_system_ns) < 40 * NS_PER_MS);
    assert_true(of_user.times.user_ns > of_system.times.user_ns);
    tc_virtual_forbid();
}

/* The memory of an ended account is reused, under another handle. */
TEST(an_ended_account_stays_ended)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW);
    tc_virtual first = tc_virtual_begin(1, 0, true, epoch);
    struct tc_virtual_times times;
    slice(first, burn_user_ns, 5 * NS_PER_MS);
    tc_virtual_end(first);
    tc_virtual_end(first);
    tc_virtual second = tc_virtual_begin(2, 0, false, epoch);
    assert_int_equal(first & 0xfffffff, second & 0xfffffff);
    assert_int_not_equal(first, second);
    assert_int_equal(tc_virtual_times(first, &times), -ESRCH);
    assert_int_equal(tc_virtual_times(second, &times), 0);
    assert_int_equal(times.times.total_ns, 0);
    assert_false(times.whole);
    assert_int_equal(tc_virtual_count(), 1);
    for (uint64_t id = 3; id < 5000; id++)
        assert_int_not_equal(tc_virtual_begin(id, 0, true, epoch), 0);
    assert_int_equal(tc_virtual_count(), 4998);
    tc_virtual_forbid();
    assert_int_equal(tc_virtual_count(), 0);
}

/* Both its start and its first mount may begin it. */
TEST(a_thread_has_one_account)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW);
    tc_virtual account = tc_virtual_begin(1, 0, true, epoch);
    assert_int_equal(tc_virtual_begin(1, 0, false, epoch), account);
    assert_int_equal(tc_virtual_count(), 1);
    tc_virtual_end_of(1);
    assert_int_equal(tc_virtual_count(), 0);
    tc_virtual_forbid();
}

static void *read_times(void *account)
{
    struct tc_virtual_times times;
    return (void *)(intptr_t)tc_virtual_times(*(tc_virtual *)account, &times);
}

/* Its carrier had no CPU for longer than the end of accounting waits. No reader waits for it. */
TEST(an_account_that_is_held_while_accounting_ends_is_ended_by_its_holder)
{
    tc_virtual account = tc_virtual_begin(1, 0, true, tc_virtual_allow(THREADCLOCK_NOW));
    uint64_t word;
    struct account *held = tc_account_hold(account, &word);
    assert_non_null(held);
    tc_virtual_forbid();
    assert_int_equal(tc_virtual_count(), 1);
    pthread_t reader;
    void *error;
    struct timespec until;
    assert_int_equal(pthread_create(&reader, NULL, read_times, &account), 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    int joined = pthread_timedjoin_np(reader, &error, &until);
    tc_account_release(held, account, word);
    assert_int_equal(joined, 0);
    assert_int_equal((intptr_t)error, -ESRCH);
    assert_int_equal(tc_virtual_count(), 0);
}

/* If a switch was not reported, the next mount ends the slice. The wrong carrier changes nothing. */
struct elsewhere {
    tc_virtual account;
    int64_t total_ns;
};

static void *mount_elsewhere(void *argument)
{
    struct elsewhere *elsewhere = argument;
    burn_user_ns(20 * NS_PER_MS); /* this carrier's clock is far ahead */
    slice(elsewhere->account, burn_user_ns, NS_PER_MS);
    return NULL;
}

TEST(a_missed_unmount_counts_nothing_twice)
{
    uint32_t epoch = tc_virtual_allow(THREADCLOCK_NOW);
    struct elsewhere elsewhere = {.account = tc_virtual_begin(1, 0, true, epoch)};
    tc_virtual next = tc_virtual_begin(2, 0, true, epoch);
    struct tc_virtual_times times;
    tc_virtual_mount(elsewhere.account);
    in_new_thread(mount_elsewhere, &elsewhere);
    burn_user_ns(10 * NS_PER_MS);
    assert_int_equal(tc_virtual_own_times(1, THREADCLOCK_NOW, &times), -ENOENT);
    tc_virtual_mount(next);
    assert_int_equal(tc_virtual_times(elsewhere.account, &times), 0);
    assert_in_range(times.times.total_ns, NS_PER_MS * 9 / 10, 9 * NS_PER_MS);
    tc_virtual_unmount();
    tc_virtual_forbid();
}

/* Many carriers run threads that begin and end, all are read, and accounting is switched on and off. */
enum { CARRIERS = 3, VIRTUALS = 6 };

static struct virtual_thread {
    pthread_mutex_t running;
    uint64_t id;
    tc_virtual account;
    int64_t true_ns; /* since the account began, by the kernel's clock around its slices */
    struct seen seen;
    _Atomic tc_virtual readable; /* for readers elsewhere */
} virtuals[VIRTUALS];
static _Atomic uint64_t ids;
static _Atomic bool done;

static void renew(struct virtual_thread *virtual)
{
    tc_virtual_end_of(virtual->id);
    virtual->id = ++ids * SHARED;
    virtual->true_ns = 0;
    virtual->seen = (struct seen){0};
    virtual->account = tc_virtual_begin(virtual->id, 0, true, tc_virtual_epoch());
    virtual->readable = virtual->account;
}

static void check_own(struct virtual_thread *virtual, enum threadclock_freshness freshness)
{
    struct threadclock_times before = seen_until_now(&virtual->seen);
    struct tc_virtual_times times;
    if (tc_virtual_own_times(virtual->id, freshness, &times) != 0)
        return; /* accounting was switched off */
    assert_in_any_thread(times.account == virtual->account);
    check_times(&virtual->seen, &before, &times.times);
}

static void *carry(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!done) {
        struct virtual_thread *virtual = &virtuals[(unsigned)rand_r(&seed) % VIRTUALS];
        if (pthread_mutex_trylock(&virtual->running) != 0)
            continue;
        int64_t before_ns = thread_cpu_ns();
        if (tc_virtual_mount_of(virtual->id)) {
            check_own(virtual, (enum threadclock_freshness)(rand_r(&seed) % 2));
            (rand_r(&seed) % 2 == 0 ? burn_user_ns : burn_system_ns)(rand_r(&seed) % 2000000);
            check_own(virtual, THREADCLOCK_NOW);
            tc_virtual_unmount();
            virtual->true_ns += thread_cpu_ns() - before_ns;
            struct tc_virtual_times times;
            if (tc_virtual_times(virtual->account, &times) == 0)
                assert_in_any_thread(times.times.total_ns <= virtual->true_ns);
        } else {
            renew(virtual);
        }
        if (rand_r(&seed) % 50 == 0)
            renew(virtual);
        pthread_mutex_unlock(&virtual->running);
    }
    return NULL;
}

/* What it reads of one account never decreases, although slices that are not over are estimated. */
static void *read_all(void *unused)
{
    struct {
        tc_virtual account;
        struct seen seen;
    } last[VIRTUALS] = {{0}};
    while (!done) {
        for (int i = 0; i < VIRTUALS; i++) {
            struct tc_virtual_times now;
            tc_virtual account = virtuals[i].readable;
            if (account == 0 || tc_virtual_times(account, &now) != 0)
                continue;
            assert_in_any_thread(now.account == account);
            if (last[i].account != account)
                last[i].seen = (struct seen){0};
            last[i].account = account;
            struct threadclock_times before = seen_until_now(&last[i].seen);
            check_times(&last[i].seen, &before, &now.times);
        }
    }
    return NULL;
}

static void *switch_on_and_off(void *unused)
{
    while (!done) {
        usleep(2000);
        tc_virtual_forbid();
        usleep(200);
        tc_virtual_allow(THREADCLOCK_NOW);
    }
    return NULL;
}

static void assert_no_time_decreases_or_is_another_threads(bool switching)
{
    pthread_t threads[CARRIERS + 2];
    done = false;
    tc_virtual_allow(THREADCLOCK_NOW);
    for (int i = 0; i < VIRTUALS; i++) {
        virtuals[i] = (struct virtual_thread){.account = 0};
        pthread_mutex_init(&virtuals[i].running, NULL);
        renew(&virtuals[i]);
    }
    for (int i = 0; i < CARRIERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, carry, (void *)(uintptr_t)(i + 1)), 0);
    assert_int_equal(pthread_create(&threads[CARRIERS], NULL, read_all, NULL), 0);
    if (switching)
        assert_int_equal(pthread_create(&threads[CARRIERS + 1], NULL, switch_on_and_off, NULL), 0);
    usleep((useconds_t)setting("THREADCLOCK_VIRTUAL_MS", 1500) * 1000);
    done = true;
    for (int i = 0; i < CARRIERS + 1 + switching; i++)
        pthread_join(threads[i], NULL);
    tc_virtual_forbid();
    assert_int_equal(tc_virtual_count(), 0);
}

TEST(no_time_decreases_or_is_another_threads)
{
    assert_no_time_decreases_or_is_another_threads(false);
}

TEST(no_time_decreases_or_is_another_threads_while_accounting_is_switched_on_and_off)
{
    assert_no_time_decreases_or_is_another_threads(true);
}

/* One carrier, which holds its account for most of the time. */
static void *carry_one(void *unused)
{
    while (!done)
        if (tc_virtual_mount(virtuals[0].readable)) {
            tc_virtual_unmount();
            ids++;
        }
    return NULL;
}

TEST(an_account_that_its_carrier_holds_ends_with_the_accounting)
{
    enum { ROUNDS = 50 };
    uint32_t left = 0;
    pthread_t carrier;
    done = false;
    virtuals[0].readable = 0;
    assert_int_equal(pthread_create(&carrier, NULL, carry_one, NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = ids;
        virtuals[0].readable = tc_virtual_begin(1, 0, true, tc_virtual_allow(THREADCLOCK_NOW));
        while (ids == before)
            sched_yield();
        tc_virtual_forbid();
        left += tc_virtual_count();
    }
    done = true;
    pthread_join(carrier, NULL);
    tc_virtual_forbid();
    assert_int_equal(left, 0);
}

/* Last, because nothing can be interpolated afterwards: as on Linux from 6.19 on. */
TEST(a_switch_reads_no_clock_of_the_kernel)
{
    enum { SWITCHES = 1000, ROUNDS = 500 }; /* long enough for the waits of earlier tests to be forgotten */
    if (UNDER_THREAD_SANITIZER || tc_monotonic_ns() < 0)
        skip_because("without a vDSO, or instrumented, a switch takes as long as a system call");
    tc_interpolation_end();
    tc_virtual account = tc_virtual_begin(1, 0, true, tc_virtual_allow(THREADCLOCK_INTERPOLATED));
    int64_t least_ns = INT64_MAX, least_of_reads_ns = INT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start_ns = thread_cpu_ns();
        for (int i = 0; i < SWITCHES; i++) {
            tc_virtual_mount(account);
            tc_virtual_unmount();
        }
        int64_t switched_ns = thread_cpu_ns();
        for (int i = 0; i < SWITCHES; i++)
            thread_cpu_ns();
        int64_t read_ns = thread_cpu_ns() - switched_ns;
        least_ns = switched_ns - start_ns < least_ns ? switched_ns - start_ns : least_ns;
        least_of_reads_ns = read_ns < least_of_reads_ns ? read_ns : least_of_reads_ns;
    }
    assert_true(least_ns < least_of_reads_ns); /* otherwise there are two reads in each */
    tc_virtual_forbid();
}
