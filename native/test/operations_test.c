/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations on threads, in several threads at once, while signals interrupt them, other threads fork,
 * and threads end and start. Each read is checked against the promises: no value decreases, whichever thread
 * reads it; user + system <= total read later; never ahead of the kernel's clock; never another thread's.
 *
 * THREADCLOCK_OPERATIONS=100000000 for a long run. In a PID namespace with few TIDs, those of ended threads
 * are soon another's: ci/attack reads.
 */
#include "seen.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WORKERS = 4,
    OPERATIONS_OF_A_LIFE = 20000,
    AHEAD_AT_MOST_NS = NS_PER_MS, /* by interpolation: threadclock.h */
    ROWS = 64
};

/*
 * One thread, registered from its first operation to its last. A pass that read it before then has a separate
 * account, and keeps that split of user and system until the registration's has caught up.
 */
struct life {
    struct seen seen;
    struct seen seen_by_tid;   /* only if it was read early */
    bool read_early;           /* or may have been */
    int64_t passes_before;
    threadclock_thread handle;
    pid_t tid;
    clockid_t clock;
    _Atomic bool ended; /* no more reads; soon its TID may be another's */
    unsigned seed;
    int64_t operations;
    struct life *previous;
};

enum operation {
    TICK, TICK_ONE, NOW, NOW_ONE, INTERPOLATED, BY_HANDLE, BY_TID, BULK, PASS, PROCESS, ENDED, NEST,
    IN_HANDLER, LIFE, FORK, KINDS
};
static const char *const names[KINDS] = {
    "tick", "tick of one", "now", "now of one", "interpolated", "by handle", "by TID", "bulk", "pass",
    "process", "ended", "register", "in a handler", "life", "fork"};
static _Atomic int64_t done[KINDS], left, passes_begun;
static struct life *_Atomic living[WORKERS];
static _Atomic bool stop;
static struct seen process;
static int tasks_at_start; /* as in a forked child: 1, unless an emulator adds its own */
static _Thread_local struct life *_Atomic own; /* null: nothing of its own to check */

static struct life *any_life(struct life *caller)
{
    return living[(unsigned)rand_r(&caller->seed) % WORKERS];
}

/* The kernel's clock is read later, so it is not less. After the thread's end it may be another's. */
static void check_against_the_kernel(const struct life *life, int64_t total_ns)
{
    int64_t kernel_ns = threadclock_clock_ns(life->clock);
    assert_in_any_thread(life->ended || total_ns <= kernel_ns + AHEAD_AT_MOST_NS);
}

static void check_by_handle(struct life *life)
{
    struct threadclock_times before = seen_until_now(&life->seen), times;
    int error = threadclock_thread_times(life->handle, &times);
    assert_in_any_thread(error == 0 || (error == -ESRCH && life->ended));
    if (error == 0) {
        check_times(&life->seen, &before, &times);
        check_against_the_kernel(life, times.total_ns);
    }
}

/* A read by the TID shares what all readers have seen, unless the life was read before it was registered. */
static struct seen *seen_by_tid(struct life *life)
{
    return life->read_early ? &life->seen_by_tid : &life->seen;
}

/* The reading is the life's if that has not ended afterwards; otherwise the TID may have been another's. */
static void check_if_alive(struct life *life, const struct threadclock_times *before,
                           const struct threadclock_times *times)
{
    if (life->ended)
        return;
    check_times(seen_by_tid(life), before, times);
    check_against_the_kernel(life, times->total_ns);
}

static void check_by_tid(struct life *life)
{
    struct threadclock_times before = seen_until_now(seen_by_tid(life)), times;
    int error = threadclock_tid_times(life->tid, &times);
    assert_in_any_thread(error == 0 || (error == -ESRCH && life->ended));
    if (error == 0)
        check_if_alive(life, &before, &times);
}

static void check_bulk(void)
{
    struct life *lives[WORKERS];
    threadclock_thread handles[WORKERS];
    struct threadclock_times before[WORKERS], times[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        lives[i] = living[i];
        handles[i] = lives[i]->handle;
        before[i] = seen_until_now(&lives[i]->seen);
    }
    int64_t read = threadclock_threads_times(handles, WORKERS, times), failed = 0;
    for (int i = 0; i < WORKERS; i++) {
        if (times[i].total_ns >= 0) {
            check_times(&lives[i]->seen, &before[i], &times[i]);
        } else {
            assert_in_any_thread(times[i].total_ns == -ESRCH && times[i].user_ns == -ESRCH
                                 && lives[i]->ended);
            failed++;
        }
    }
    assert_in_any_thread(read == WORKERS - failed);
}

static void check_pass(void)
{
    struct life *lives[WORKERS];
    struct threadclock_times before[WORKERS];
    struct threadclock_thread_row rows[ROWS];
    for (int i = 0; i < WORKERS; i++) {
        lives[i] = living[i];
        before[i] = seen_until_now(seen_by_tid(lives[i]));
    }
    passes_begun++;
    int64_t count = threadclock_all_threads(rows, ROWS);
    assert_in_any_thread(count > 0 && count <= ROWS);
    for (int64_t row = 0; row < count; row++)
        for (int i = 0; i < WORKERS; i++)
            if (rows[row].tid == lives[i]->tid)
                check_if_alive(lives[i], &before[i], &rows[row].times);
}

/* The TID may be another thread's by now; that one's handle is another. */
static void check_ended(const struct life *ended)
{
    struct threadclock_times times;
    assert_in_any_thread(ended == NULL || threadclock_thread_times(ended->handle, &times) == -ESRCH);
}

/* Registers the thread once more, and ends that registration again. */
static void check_nesting(struct life *life)
{
    threadclock_thread handle;
    assert_in_any_thread(threadclock_thread_register(&handle) == 0 && handle == life->handle);
    check_by_handle(life);
    assert_in_any_thread(threadclock_thread_unregister() == 0);
}

static void read_in_handler(int signal)
{
    struct life *life = own;
    if (life == NULL)
        return;
    int saved = errno;
    check_read(&life->seen, threadclock_times_tick);
    check_one(&life->seen, (int)(done[IN_HANDLER]++ % 3), done[IN_HANDLER] % 2 == 0);
    check_interpolated(&life->seen);
    check_by_handle(life);
    check_read(&life->seen, threadclock_times_now);
    errno = saved;
}

/* One of 4096 numbers selects the operation; most select the cheap ones. */
static enum operation chosen(unsigned number)
{
    static const struct {
        unsigned below;
        enum operation operation;
    } shares[] = {
        {1, PASS}, {8, BULK}, {16, PROCESS}, {32, BY_TID}, {40, ENDED}, {56, NEST}, {160, BY_HANDLE},
        {224, NOW}, {320, NOW_ONE}, {1024, INTERPOLATED}, {2048, TICK_ONE}, {4096, TICK}};
    int i = 0;
    while (number >= shares[i].below)
        i++;
    return shares[i].operation;
}

static void operate(struct life *life)
{
    enum operation operation = chosen((unsigned)rand_r(&life->seed) % 4096);
    switch (operation) {
    case TICK: check_read(&life->seen, threadclock_times_tick); break;
    case TICK_ONE: check_one(&life->seen, rand_r(&life->seed) % 3, false); break;
    case NOW:
        check_read(&life->seen, threadclock_times_now);
        check_against_the_kernel(life, life->seen.total_ns);
        break;
    case NOW_ONE: check_one(&life->seen, rand_r(&life->seed) % 3, true); break;
    case INTERPOLATED: check_interpolated(&life->seen); break;
    case BY_HANDLE: check_by_handle(any_life(life)); break;
    case BY_TID: check_by_tid(any_life(life)); break;
    case BULK: check_bulk(); break;
    case PASS: check_pass(); break;
    case PROCESS: check_read(&process, threadclock_process_times); break;
    case ENDED: check_ended(any_life(life)->previous); break;
    case NEST: check_nesting(life); break;
    default: abort();
    }
    done[operation]++;
}

static void hear_signals(bool hear)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(hear ? SIG_UNBLOCK : SIG_BLOCK, &alarm, NULL);
}

static void *live(void *argument)
{
    struct life *life = argument;
    life->tid = gettid();
    struct threadclock_clockid_parts sched = {life->tid, THREADCLOCK_SCOPE_THREAD, THREADCLOCK_CLOCK_SCHED};
    assert_in_any_thread(threadclock_clockid_encode(&sched, &life->clock) == 0);
    assert_in_any_thread(threadclock_thread_register(&life->handle) == 0);
    life->read_early = passes_begun != life->passes_before;
    living[life->seed % WORKERS] = life;
    own = life;
    for (int i = 0; i < WORKERS; i++)
        while (living[i] == NULL)
            usleep(100);
    hear_signals(true);
    for (int64_t i = 0; i < life->operations; i++) {
        operate(life);
        if (i % 4000 == 0)
            burn_system_ns(NS_PER_MS / 4); /* so that user and system both grow */
    }
    hear_signals(false);
    own = NULL;
    life->ended = true;
    struct threadclock_times times;
    assert_in_any_thread(threadclock_thread_unregister() == 0);
    assert_in_any_thread(threadclock_thread_times(life->handle, &times) == -ESRCH);
    done[LIFE]++;
    return NULL;
}

/* Lives one life after another; what was seen of each stays, because others may still check it. */
static void *live_again_and_again(void *number)
{
    struct life *last = NULL;
    for (unsigned seed = (unsigned)(uintptr_t)number;; seed += WORKERS) {
        int64_t before = left;
        left -= OPERATIONS_OF_A_LIFE;
        if (before <= 0)
            break;
        struct life *life = calloc(1, sizeof *life);
        assert_in_any_thread(life != NULL);
        life->seed = seed;
        life->operations = before < OPERATIONS_OF_A_LIFE ? before : OPERATIONS_OF_A_LIFE;
        life->previous = last;
        life->passes_before = done[PASS];
        last = life;
        pthread_t thread;
        assert_in_any_thread(pthread_create(&thread, NULL, live, life) == 0);
        assert_in_any_thread(pthread_join(thread, NULL) == 0);
    }
    return last;
}

static bool child_has_its_own_times(void *unused)
{
    struct threadclock_times times, tick;
    threadclock_thread handle;
    bool right = threadclock_times_tick(&tick) == 0 && threadclock_times_now(&times) == 0
                 && tick.total_ns <= times.total_ns
                 && threadclock_thread_times(living[0]->handle, &times) == -ESRCH
                 && threadclock_thread_register(&handle) == 0 && handle != living[0]->handle
                 && threadclock_thread_times(living[0]->handle, &times) == -ESRCH
                 && threadclock_thread_times(handle, &times) == 0
                 && tick.user_ns <= times.user_ns && tick.system_ns <= times.system_ns
                 && threadclock_all_threads(NULL, 0) == tasks_at_start;
    int64_t total_ns = threadclock_total_interpolated_ns();
    return right && times.total_ns <= total_ns && total_ns <= thread_cpu_ns() + AHEAD_AT_MOST_NS;
}

/* This thread has more time than a child ever has, and leaves it in its cell. */
static void *fork_again_and_again(void *unused)
{
    burn_user_ns(50 * NS_PER_MS);
    while (!stop) {
        assert_in_any_thread(threadclock_total_tick_ns() >= 0 && threadclock_total_interpolated_ns() >= 0);
        if (living[0] != NULL)
            assert_in_any_thread(
                true_in_child(done[FORK]++ % 2 ? fork : raw_fork, child_has_its_own_times, NULL));
        usleep(5000);
    }
    return unused;
}

TEST(all_operations_keep_all_promises)
{
    tasks_at_start = tasks_of_process();
    left = setting("THREADCLOCK_OPERATIONS", 4000000);
    hear_signals(false); /* signals go to the threads under test */
    pthread_t workers[WORKERS], forker;
    for (uintptr_t i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&workers[i], NULL, live_again_and_again, (void *)i), 0);
    if (!UNDER_THREAD_SANITIZER)
        assert_int_equal(pthread_create(&forker, NULL, fork_again_and_again, NULL), 0);
    alarm_every_us(300, read_in_handler);
    void *lives[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(workers[i], &lives[i]), 0);
    alarm_every_us(0, NULL);
    stop = true;
    if (!UNDER_THREAD_SANITIZER)
        assert_int_equal(pthread_join(forker, NULL), 0);
    for (int i = 0; i < WORKERS; i++) {
        for (struct life *life = lives[i], *previous; life != NULL; life = previous) {
            previous = life->previous;
            free(life);
        }
    }
    for (int i = 0; i < KINDS; i++)
        print_message("operations: %" PRId64 " %s\n", done[i], names[i]);
    assert_true(done[IN_HANDLER] > 50 && done[PASS] > 50 && done[LIFE] >= WORKERS);
}
