/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of the calling thread: the tick cache, and the kernel asked now. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

#include "clock_id.h"
#include "interpolated.h"
#include "own_thread.h"
#include "slot.h"
#include "sys.h"
#include "threads.h"
#include "tick.h"

/*
 * The tick cache of a thread: which slot has its time, as of the tick that the key stands for. The slot is the cell's own,
 * or the one under which the thread is registered (threads.c), so that whoever reads the thread reads one slot. Zero in a
 * new thread, which is a cell that was never filled. No initial-exec TLS: musl refuses to dlopen it.
 */
struct cell {
    struct tc_slot *slot;
    uint64_t key;
    uint64_t epoch;
    struct tc_slot home;
    struct tc_stamp anchor; /* of the interpolated total */
};
_Static_assert(offsetof(struct cell, anchor) <= 64, "what tick and now reads need of a thread fits into a cache line");

static _Thread_local struct cell own;

/*
 * A bit per TID, set by the first thread of it that uses its cell, and left set: a thread that starts and finds it clear has
 * none, and need not touch its thread-local storage, which would be allocated for that. TIDs end at 4,194,304 (PID_MAX_LIMIT,
 * include/linux/threads.h); of the 512 KB only the pages of TIDs in use become memory.
 */
enum { TIDS = 1 << 22, WORD_BITS = 64 };
static uint64_t cells_used[TIDS / WORD_BITS];

static uint64_t *cell_used_word(pid_t tid)
{
    return &cells_used[(uint32_t)tid % TIDS / WORD_BITS];
}

static void mark_cell_used(pid_t tid)
{
    __atomic_fetch_or(cell_used_word(tid), UINT64_C(1) << (tid % WORD_BITS), __ATOMIC_RELAXED);
}

bool tc_own_cell_used(pid_t tid)
{
    return (__atomic_load_n(cell_used_word(tid), __ATOMIC_RELAXED) >> (tid % WORD_BITS) & 1) != 0;
}

static uint64_t block_signals(void)
{
    uint64_t all = ~UINT64_C(0), before;
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before;
}

static void restore_signals(uint64_t before)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
}

/* The times of the thread move to another slot, which may have later ones already. Signals are blocked. */
static void move_to(struct cell *cell, struct tc_slot *slot)
{
    if (cell->slot != NULL && cell->slot != slot)
        tc_slot_take_over(slot, cell->slot);
    cell->slot = slot;
}

/*
 * The cell in the present epoch. One that a fork copied holds the parent's times, another thread's: it is emptied. In an
 * epoch of threads newly registered by others the thread may be one of them. Signals are blocked, for a handler might read it.
 */
static void enter_epoch(struct cell *cell, uint64_t epoch)
{
    if (tc_epoch_fork(cell->epoch) != tc_epoch_fork(epoch)) {
        *cell = (struct cell){.slot = &cell->home};
        mark_cell_used(tc_own_tid());
    }
    struct tc_slot *registered = tc_threads_claim_own();
    if (registered != NULL)
        move_to(cell, registered);
    cell->key = 0;
    cell->epoch = epoch;
}

static uint64_t present_epoch(struct cell *cell)
{
    uint64_t epoch = tc_epoch();
    if (__builtin_expect(TC_LOAD(cell->epoch) != epoch, 0)) {
        uint64_t before = block_signals();
        enter_epoch(cell, epoch);
        restore_signals(before);
    }
    return epoch;
}

/* The cell in the present epoch, with signals blocked until restore_signals(*before). */
static struct cell *hold_own(uint64_t *before)
{
    struct cell *cell = &own;
    *before = block_signals();
    uint64_t epoch = tc_epoch();
    if (cell->epoch != epoch)
        enter_epoch(cell, epoch);
    return cell;
}

void tc_own_move_to(struct tc_slot *slot)
{
    uint64_t before;
    move_to(hold_own(&before), slot);
    restore_signals(before);
}

void tc_own_move_home(void)
{
    uint64_t before;
    struct cell *cell = hold_own(&before);
    if (cell->slot != &cell->home) {
        cell->home = (struct tc_slot){0};
        move_to(cell, &cell->home);
    }
    restore_signals(before);
}

const struct tc_slot *tc_own_slot(void)
{
    struct cell *cell = &own;
    present_epoch(cell);
    return cell->slot == &cell->home ? NULL : cell->slot;
}

enum threadclock_source_id tc_sample(struct threadclock_times *times, int *error)
{
    struct rusage usage;
    *error = (int)tc_syscall4(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0);
    if (*error < 0)
        return threadclock_proc_times(0, times) < 0 ? THREADCLOCK_SOURCE_NONE : THREADCLOCK_SOURCE_PROC;
    times->user_ns = tc_timeval_ns(&usage.ru_utime);
    times->system_ns = tc_timeval_ns(&usage.ru_stime);
    times->total_ns = times->user_ns + times->system_ns;
    return THREADCLOCK_SOURCE_RUSAGE;
}

/* Puts a sample into the cell, and leaves it valid under key. In a loop, for a handler might fork between the steps. */
static int fill(struct cell *cell, uint64_t key)
{
    for (;;) {
        uint64_t epoch = present_epoch(cell);
        struct threadclock_times times;
        int error;
        if (tc_sample(&times, &error) == THREADCLOCK_SOURCE_NONE)
            return error;
        tc_slot_merge(cell->slot, (uint64_t)times.user_ns, (uint64_t)times.system_ns);
        uint64_t after = tc_epoch();
        if (after == epoch) {
            if (key != TC_KEY_NEVER)
                TC_STORE(cell->key, key);
            return 0;
        }
        if (tc_epoch_fork(after) != tc_epoch_fork(epoch))
            TC_STORE(cell->epoch, 0); /* the parent's sample went into the child's slot: empty it */
    }
}

/* The scheduler's run time, into the cell as well. clock_gettime makes the kernel bring it up to date: getrusage gains by it. */
static int64_t refresh_total(struct cell *cell)
{
    for (;;) {
        uint64_t epoch = present_epoch(cell);
        int64_t total_ns = threadclock_clock_ns(TC_CLOCK_OWN_SCHED);
        if (total_ns < 0)
            return total_ns;
        tc_slot_raise_total(cell->slot, (uint64_t)total_ns);
        uint64_t after = tc_epoch();
        if (after == epoch)
            return total_ns;
        if (tc_epoch_fork(after) != tc_epoch_fork(epoch))
            TC_STORE(cell->epoch, 0);
    }
}

/* Makes the cell at most a tick old. The one test of the hot path. */
static inline int refresh_tick(struct cell *cell)
{
    uint64_t key = tc_tick_key();
    const uint64_t *epoch_word = __atomic_load_n(&tc_epoch_word, __ATOMIC_RELAXED);
    if (__builtin_expect(TC_LOAD(cell->key) == key && TC_LOAD(cell->epoch) == TC_LOAD(*epoch_word), 1))
        return 0;
    return fill(cell, key);
}

static int refresh_now(struct cell *cell)
{
    refresh_total(cell); /* where it fails the sample is up to a tick old: the best there is */
    return fill(cell, TC_KEY_NEVER);
}

static inline int64_t user_ns(const struct cell *cell)
{
    return (int64_t)TC_LOAD(cell->slot->user_ns);
}

static inline int64_t system_ns(const struct cell *cell)
{
    struct tc_pair pair = tc_slot_pair(cell->slot);
    return (int64_t)(pair.sum_ns - pair.user_ns);
}

static inline int64_t total_ns(const struct cell *cell)
{
    return (int64_t)TC_LOAD(cell->slot->total_ns);
}

int64_t threadclock_user_tick_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_tick(cell);
    return error < 0 ? error : user_ns(cell);
}

int64_t threadclock_system_tick_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_tick(cell);
    return error < 0 ? error : system_ns(cell);
}

int64_t threadclock_total_tick_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_tick(cell);
    return error < 0 ? error : total_ns(cell);
}

int threadclock_times_tick(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct cell *cell = &own;
    int error = refresh_tick(cell);
    if (error == 0)
        tc_slot_times(cell->slot, times);
    return error;
}

int64_t threadclock_user_now_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_now(cell);
    return error < 0 ? error : user_ns(cell);
}

int64_t threadclock_system_now_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_now(cell);
    return error < 0 ? error : system_ns(cell);
}

int64_t threadclock_total_now_ns(void)
{
    struct cell *cell = &own;
    int error = refresh_total(cell) < 0 ? fill(cell, TC_KEY_NEVER) : 0;
    return error < 0 ? error : total_ns(cell);
}

int threadclock_times_now(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct cell *cell = &own;
    int error = refresh_now(cell);
    if (error == 0)
        tc_slot_times(cell->slot, times);
    return error;
}

/* The kernel's own answer is the anchor of the reads that follow, not what the cell has: that may be ahead, and would stay so. */
static int64_t total_anew(struct cell *cell)
{
    struct tc_anchoring anchoring = tc_anchor_begin(&cell->anchor);
    int64_t kernel_ns = refresh_total(cell);
    tc_anchor_end(&cell->anchor, &anchoring, kernel_ns);
    int error = kernel_ns < 0 ? fill(cell, TC_KEY_NEVER) : 0;
    return error < 0 ? error : total_ns(cell);
}

/* The epoch is looked at after the slot was raised, for a handler might fork before that: as in fill. */
int64_t threadclock_total_interpolated_ns(void)
{
    struct cell *cell = &own;
    uint64_t epoch = TC_LOAD(cell->epoch), ns;
    if (__builtin_expect(tc_interpolate(&cell->anchor, &ns), 1)) {
        tc_slot_raise_total(cell->slot, ns);
        const uint64_t *epoch_word = __atomic_load_n(&tc_epoch_word, __ATOMIC_RELAXED);
        if (__builtin_expect(TC_LOAD(*epoch_word) == epoch, 1))
            return total_ns(cell);
        if (tc_epoch_fork(tc_epoch()) != tc_epoch_fork(epoch))
            TC_STORE(cell->epoch, 0);
    }
    return total_anew(cell);
}

bool tc_own_interpolates(void)
{
    for (int tries = 0; tries < 3; tries++) {
        uint64_t ns;
        if (threadclock_total_interpolated_ns() >= 0 && tc_interpolate(&own.anchor, &ns))
            return true;
        if (!tc_interpolation_settle())
            break;
    }
    return false;
}
