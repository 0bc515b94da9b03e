/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks very many reads of every kind: no value decreases for any reader, none is above the true value, none
 * is another thread's. Threads work around ticks, between ticks, in the kernel, in user mode and
 * intermittently; others start and end by the thousand, signals arrive, processes are forked.
 *
 * usage: many_reads [READS [SECONDS]], the number of reads and the time limit. Prints a line per kind; exit
 * status 1: a reading was wrong. In a PID namespace with few TIDs, TIDs of ended threads are reused at once:
 * ci/attack reads.
 */
#include "many_reads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_BATCH = 10000, INTERPOLATED_BATCH = 1000, NOW_BATCH = 60, YOUNG = 32, DEAD = 64, STARTERS = 2,
       READERS = 2, ROWS = 256, ROUNDS = 8 };

/*
 * The limit by which an interpolated total, and other reads of total after it, may be ahead of the kernel's
 * clock (threadclock.h).
 */
static const int64_t ahead_ns = NS_PER_MS;

/* The most a process that was just forked can have used; its parent has used more. */
static const int64_t forked_ns = 100 * NS_PER_MS;

static atomic_bool stop, stop_reading;

struct subject {
    void (*load)(void);
    bool interpolates;
    pthread_t thread;
    threadclock_thread handle;
    atomic_int tid;
    _Atomic int64_t user_ns, system_ns, total_ns; /* the greatest seen by any reader */
};

static void around_ticks(void) { burn_around_ticks(3); }
static void between_ticks(void) { burn_between_ticks(3); }
static void in_kernel(void) { burn_system_ns(NS_PER_MS); }
static void in_user_mode(void) { burn_user_ns(NS_PER_MS); }

static void by_fits(void)
{
    burn_user_ns(NS_PER_MS / 5);
    usleep(1500);
    burn_system_ns(NS_PER_MS / 5);
}

static struct subject subjects[] = {{.load = around_ticks}, {.load = between_ticks, .interpolates = true},
                                    {.load = in_kernel}, {.load = in_user_mode, .interpolates = true},
                                    {.load = by_fits}};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* A thread that has just started; the number is odd while the slot changes owner. */
static struct young {
    atomic_uint number;
    _Atomic threadclock_thread handle;
    atomic_int tid;
    _Atomic int64_t made_ns;
} young[YOUNG];

static _Atomic threadclock_thread dead[DEAD];

static void raise_to(_Atomic int64_t *greatest, int64_t value)
{
    int64_t now = atomic_load(greatest);
    while (now < value && !atomic_compare_exchange_weak(greatest, &now, value)) {
    }
}

/* --- the calling thread --- */

static void of_one(enum kind kind, int64_t (*read)(void), int times, int64_t *last_ns)
{
    struct tally tally = {.reads = times};
    int64_t last = *last_ns;
    for (int i = 0; i < times; i++) {
        int64_t value = read();
        tally.failed += value < 0;
        tally.decreases += value < last;
        last = value > last ? value : last;
    }
    *last_ns = last;
    count(kind, &tally);
}

static struct threadclock_times seen_of(struct subject *subject)
{
    return (struct threadclock_times){atomic_load(&subject->user_ns), atomic_load(&subject->system_ns),
                                      atomic_load(&subject->total_ns)};
}

static void of_three(enum kind kind, int (*read)(struct threadclock_times *), int times,
                     struct threadclock_times *last)
{
    struct tally tally = {.reads = times};
    for (int i = 0; i < times; i++) {
        struct threadclock_times value;
        tally.failed += read(&value) != 0;
        tally.decreases += decreases(last, &value);
        tally.above += value.user_ns + value.system_ns > value.total_ns;
        *last = value;
    }
    count(kind, &tally);
}

static void read_own(struct subject *subject)
{
    struct threadclock_times last = seen_of(subject);
    of_one(USER_TICK, threadclock_user_tick_ns, TICK_BATCH, &last.user_ns);
    of_one(SYSTEM_TICK, threadclock_system_tick_ns, TICK_BATCH, &last.system_ns);
    of_one(TOTAL_TICK, threadclock_total_tick_ns, TICK_BATCH, &last.total_ns);
    of_three(TIMES_TICK, threadclock_times_tick, TICK_BATCH, &last);
    of_one(USER_NOW, threadclock_user_now_ns, NOW_BATCH, &last.user_ns);
    of_one(SYSTEM_NOW, threadclock_system_now_ns, NOW_BATCH, &last.system_ns);
    of_one(TOTAL_NOW, threadclock_total_now_ns, NOW_BATCH, &last.total_ns);
    of_three(TIMES_NOW, threadclock_times_now, NOW_BATCH, &last);
    if (subject->interpolates)
        of_one(INTERPOLATED, threadclock_total_interpolated_ns, INTERPOLATED_BATCH, &last.total_ns);
    if (last.total_ns > thread_cpu_ns() + (subject->interpolates ? ahead_ns : 0))
        count(TOTAL_NOW, &(struct tally){.above = 1});
    if (last.user_ns + last.system_ns > thread_cpu_ns())
        count(USER_NOW, &(struct tally){.above = 1});
    raise_to(&subject->user_ns, last.user_ns);
    raise_to(&subject->system_ns, last.system_ns);
    raise_to(&subject->total_ns, last.total_ns);
}

static void *work_and_read(void *argument)
{
    struct subject *subject = argument;
    assert_in_any_thread(threadclock_thread_register(&subject->handle) == 0);
    atomic_store(&subject->tid, (int)syscall(SYS_gettid));
    while (!stop) {
        subject->load();
        read_own(subject);
    }
    atomic_store(&subject->tid, 0);
    threadclock_thread_unregister();
    return NULL;
}

/* --- other threads --- */

static void check(enum kind kind, struct subject *subject, const struct threadclock_times *before,
                  const struct threadclock_times *now, bool fresh)
{
    struct tally tally = {.reads = 1, .decreases = decreases(before, now)};
    tally.above = now->user_ns + now->system_ns > now->total_ns;
    if (fresh) {
        clockid_t clock;
        threadclock_clockid_encode(&(struct threadclock_clockid_parts){.id = atomic_load(&subject->tid),
            .scope = THREADCLOCK_SCOPE_THREAD, .clock = THREADCLOCK_CLOCK_SCHED}, &clock);
        tally.above |= now->total_ns > threadclock_clock_ns(clock) + (subject->interpolates ? ahead_ns : 0);
    }
    count(kind, &tally);
    raise_to(&subject->user_ns, now->user_ns);
    raise_to(&subject->system_ns, now->system_ns);
    raise_to(&subject->total_ns, now->total_ns);
}

static void read_others(int round)
{
    threadclock_thread handles[SUBJECTS];
    struct threadclock_times before[SUBJECTS], now[SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++) {
        struct subject *subject = &subjects[i];
        bool fresh = round % 8 == i;
        handles[i] = subject->handle;
        before[i] = seen_of(subject);
        if (threadclock_thread_times(subject->handle, &now[i]) == 0)
            check(BY_HANDLE, subject, &before[i], &now[i], fresh);
        else
            count(BY_HANDLE, &(struct tally){.reads = 1, .failed = 1});
        before[i] = seen_of(subject);
        if (threadclock_tid_times(atomic_load(&subject->tid), &now[i]) == 0)
            check(BY_TID, subject, &before[i], &now[i], fresh);
        else
            count(BY_TID, &(struct tally){.reads = 1, .failed = 1});
        before[i] = seen_of(subject);
        now[i] = before[i];
        now[i].total_ns = threadclock_thread_total_ns(subject->handle);
        now[i].user_ns = now[i].system_ns = 0;
        before[i].user_ns = before[i].system_ns = 0;
        check(TOTAL_BY_HANDLE, subject, &before[i], &now[i], fresh);
    }
    for (int i = 0; i < SUBJECTS; i++)
        before[i] = seen_of(&subjects[i]);
    if (threadclock_threads_times(handles, SUBJECTS, now) != SUBJECTS)
        count(HANDLES, &(struct tally){.reads = 1, .failed = 1});
    for (int i = 0; i < SUBJECTS; i++)
        check(HANDLES, &subjects[i], &before[i], &now[i], false);
}

static void read_all(void)
{
    static __thread struct threadclock_thread_row rows[ROWS];
    struct threadclock_times before[SUBJECTS];
    int found = 0;
    for (int i = 0; i < SUBJECTS; i++)
        before[i] = seen_of(&subjects[i]);
    int64_t threads = threadclock_all_threads(rows, ROWS);
    for (int64_t row = 0; row < threads && row < ROWS; row++) {
        const struct threadclock_times *times = &rows[row].times;
        struct tally tally = {.reads = 1, .failed = times->user_ns < 0};
        tally.above = times->user_ns + times->system_ns > times->total_ns;
        int i = 0;
        while (i < SUBJECTS && atomic_load(&subjects[i].tid) != rows[row].tid)
            i++;
        if (i < SUBJECTS) {
            check(ALL_THREADS, &subjects[i], &before[i], times, false);
            found++;
        } else {
            count(ALL_THREADS, &tally);
        }
    }
    if (found != SUBJECTS)
        count(ALL_THREADS, &(struct tally){.failed = 1});
}

static void read_young(struct young *thread)
{
    unsigned number = atomic_load(&thread->number);
    threadclock_thread handle = atomic_load(&thread->handle);
    int tid = atomic_load(&thread->tid);
    int64_t made_ns = atomic_load(&thread->made_ns);
    if (number % 2 != 0 || handle == 0 || atomic_load(&thread->number) != number)
        return;
    struct threadclock_times times;
    int error = threadclock_thread_times(handle, &times);
    bool lives = atomic_load(&thread->number) == number;
    count(YOUNG_BY_HANDLE, &(struct tally){.reads = 1, .failed = error != 0 && lives,
        .foreign = error == 0 && times.total_ns > monotonic_ns() - made_ns + ahead_ns,
        .above = error == 0 && times.user_ns + times.system_ns > times.total_ns});
    error = threadclock_tid_times(tid, &times);
    lives = atomic_load(&thread->number) == number; /* otherwise the TID may be another thread's */
    count(YOUNG_BY_TID, &(struct tally){.reads = 1, .failed = error != 0 && lives,
        .foreign = error == 0 && lives && times.total_ns > monotonic_ns() - made_ns + ahead_ns,
        .above = error == 0 && times.user_ns + times.system_ns > times.total_ns});
}

static void *read_everything(void *unused)
{
    (void)unused;
    struct threadclock_times process = {0, 0, 0};
    for (int round = 0; !stop_reading; round++) {
        for (int i = 0; i < ROUNDS; i++) {
            read_others(round * ROUNDS + i);
            for (int j = 0; j < YOUNG; j++)
                read_young(&young[j]);
        }
        for (int i = 0; i < DEAD && round % 4 == 0; i++) {
            struct threadclock_times times;
            threadclock_thread handle = atomic_load(&dead[i]);
            if (handle != 0)
                count(ENDED, &(struct tally){.reads = 1,
                                             .foreign = threadclock_thread_times(handle, &times) != -ESRCH});
        }
        read_all();
        of_three(PROCESS, threadclock_process_times, ROUNDS, &process);
    }
    return NULL;
}

/* --- threads that start and end, forked processes, signals --- */

struct start {
    struct young *place;
    bool burns;
    int64_t made_ns;
};

static void *come_and_go(void *argument)
{
    struct start *start = argument;
    threadclock_thread handle;
    assert_in_any_thread(threadclock_thread_register(&handle) == 0);
    atomic_store(&start->place->handle, handle);
    atomic_store(&start->place->tid, (int)syscall(SYS_gettid));
    atomic_store(&start->place->made_ns, start->made_ns);
    atomic_fetch_add(&start->place->number, 1);
    struct threadclock_times last = {0, 0, 0};
    of_three(TIMES_NOW, threadclock_times_now, 3, &last);
    if (last.total_ns > monotonic_ns() - start->made_ns + ahead_ns)
        count(TIMES_NOW, &(struct tally){.foreign = 1});
    if (start->burns)
        burn_user_ns(5 * NS_PER_MS);
    usleep(200);
    of_three(TIMES_TICK, threadclock_times_tick, 3, &last);
    atomic_fetch_add(&start->place->number, 1);
    threadclock_thread_unregister();
    atomic_store(&dead[handle % DEAD], handle);
    return NULL;
}

static void *start_threads(void *argument)
{
    struct young *first = argument;
    for (int round = 0; !stop; round++) {
        pthread_t threads[YOUNG / STARTERS];
        struct start starts[YOUNG / STARTERS];
        for (int i = 0; i < YOUNG / STARTERS; i++) {
            if (round == 0)
                atomic_store(&first[i].number, 1);
            starts[i] = (struct start){&first[i], (round + i) % 64 == 0, monotonic_ns()};
            assert_in_any_thread(pthread_create(&threads[i], NULL, come_and_go, &starts[i]) == 0);
        }
        for (int i = 0; i < YOUNG / STARTERS; i++)
            pthread_join(threads[i], NULL);
        usleep(500);
    }
    return NULL;
}

static int forked(void)
{
    struct threadclock_times tick, now;
    int64_t interpolated_ns = threadclock_total_interpolated_ns();
    bool right = threadclock_times_tick(&tick) == 0 && threadclock_times_now(&now) == 0
                 && interpolated_ns >= 0 && interpolated_ns < forked_ns && now.total_ns < forked_ns
                 && now.user_ns + now.system_ns <= now.total_ns && !decreases(&tick, &now);
    return right ? 0 : 1;
}

static void *fork_processes(void *unused)
{
    (void)unused;
    burn_user_ns(2 * forked_ns);
    while (!stop) {
        threadclock_total_interpolated_ns();
        threadclock_total_tick_ns();
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            _exit(forked());
        int status = 0;
        while (child > 0 && waitpid(child, &status, 0) < 0) {
        }
        count(IN_FORKED, &(struct tally){.reads = 3, .foreign = status != 0, .failed = child < 0});
        usleep(2000);
    }
    return NULL;
}

static void on_alarm(int signal)
{
    (void)signal;
    static __thread struct threadclock_times last;
    of_three(IN_HANDLER, threadclock_times_tick, 2, &last);
    of_three(IN_HANDLER, threadclock_times_now, 1, &last);
}

/* --- the number of reads, and the result --- */

int main(int argc, char **argv)
{
    int64_t wanted = argc > 1 ? strtoll(argv[1], NULL, 10) : 100000000,
            end_ns = monotonic_ns() + (argc > 2 ? atoll(argv[2]) : 600) * NS_PER_S;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    pthread_t readers[READERS], starters[STARTERS], forker;
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    for (int i = 0; i < SUBJECTS; i++)
        assert_in_any_thread(pthread_create(&subjects[i].thread, NULL, work_and_read, &subjects[i]) == 0);
    for (int i = 0; i < SUBJECTS; i++)
        while (atomic_load(&subjects[i].tid) == 0)
            usleep(1000);
    for (int i = 0; i < READERS; i++)
        assert_in_any_thread(pthread_create(&readers[i], NULL, read_everything, NULL) == 0);
    for (int i = 0; i < STARTERS; i++) {
        struct young *first = &young[i * YOUNG / STARTERS];
        assert_in_any_thread(pthread_create(&starters[i], NULL, start_threads, first) == 0);
    }
    assert_in_any_thread(pthread_create(&forker, NULL, fork_processes, NULL) == 0);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (!have_been_counted(wanted) && monotonic_ns() < end_ns)
        usleep(20000);
    setitimer(ITIMER_REAL, &never, NULL);
    atomic_store(&stop_reading, true); /* first: the other threads exist while they are read */
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < STARTERS; i++)
        pthread_join(starters[i], NULL);
    for (int i = 0; i < SUBJECTS; i++)
        pthread_join(subjects[i].thread, NULL);
    pthread_join(forker, NULL);
    return print_counts();
}
