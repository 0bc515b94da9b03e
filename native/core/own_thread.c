/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of the calling thread: tick reads from a cache, now reads from the kernel, the interpolated total. */
#include "own_thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "clock_id.h"
#include "entries.h"
#include "interpolated.h"
#include "slot.h"
#include "sys.h"
#include "tick.h"

/*
 * The tick cache of a thread: the slot that holds its time, and the key of the tick in which it was read. The
 * slot is the cell's own, or that of the thread's entry (entries.h), so that every reader of the thread uses
 * one slot. All zero in a new thread: a cell that was never filled. No initial-exec TLS: musl refuses to
 * dlopen it.
 */
struct cell {
    struct tc_slot *slot;
    uint64_t key;
    uint64_t epoch;
    struct tc_slot home;
    struct tc_stamp anchor;       /* of the interpolated total */
    struct tc_slot home_of_child; /* each fork switches between the two: see fill */
    struct tc_slot moment;        /* the last tick, and the highest total, of moments (moment.h) */
    uint64_t system_share;        /* of the time between the last two of these ticks */
    uint64_t serial;              /* unlike the address, never another thread's; 0: not used yet */
};
_Static_assert(offsetof(struct cell, anchor) <= 64,
               "what tick and now reads need of a thread fits into a cache line");

/* The epoch of a cell that must be reset. Not 0, which is the epoch word of a child before its first read. */
static const uint64_t NO_EPOCH = UINT64_MAX;

static _Thread_local struct cell own;

/* The serial given last. */
static uint64_t serials;

/* Computed once per read: without the asm the compiler resolves the TLS descriptor before each use. */
static inline struct cell *cell_of_thread(void)
{
    struct cell *cell = &own;
    __asm__("" : "+r"(cell));
    return cell;
}

/*
 * A bit per TID, set by the first thread with that TID that uses its cell, and never cleared. A thread that
 * starts and finds it clear has no cell, and need not touch its thread-local storage, which would have to be
 * allocated. TIDs end at 4,194,304 (PID_MAX_LIMIT, include/linux/threads.h); of the 512 KB only the pages of
 * TIDs in use take memory.
 */
enum { TIDS = 1 << 22, WORD_BITS = 64 };
static uint64_t cells_used[TIDS / WORD_BITS];

static uint64_t *cell_used_word(pid_t tid)
{
    return &cells_used[(uint32_t)tid % TIDS / WORD_BITS];
}

static void mark_cell_used(pid_t tid)
{
    __atomic_fetch_or(cell_used_word(tid), UINT64_C(1) << ((uint32_t)tid % WORD_BITS), __ATOMIC_RELAXED);
}

bool tc_own_cell_used(pid_t tid)
{
    return (TC_LOAD_RELAXED(*cell_used_word(tid)) >> ((uint32_t)tid % WORD_BITS) & 1) != 0;
}

/* Moves the thread's times to another slot, which may already have later ones. Signals are blocked. */
static void move_to(struct cell *cell, struct tc_slot *slot)
{
    if (cell->slot != slot)
        tc_slot_take_over(slot, cell->slot);
    cell->slot = slot;
}

/*
 * The calling thread's cell. A new one has never been filled. One that a fork copied holds the times of
 * another thread, the parent's: it is emptied, and its epoch set to the first of this address space, so that
 * the thread's next read checks whether it is registered. Signals are blocked, because a handler might read
 * the cell.
 */
static struct cell *own_cell(void)
{
    struct cell *cell = cell_of_thread();
    uint64_t fork = tc_epoch_fork(tc_epoch());
    if (tc_epoch_fork(cell->epoch) != fork) {
        *cell = (struct cell){.slot = cell->slot == &cell->home ? &cell->home_of_child : &cell->home,
                              .epoch = fork << 32,
                              .serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED)};
        mark_cell_used(tc_own_tid());
    }
    return cell;
}

/* In a new epoch another thread may have registered this one. Rare, so not part of its callers' code. */
__attribute__((noinline)) static void enter_epoch(void)
{
    uint64_t signals = tc_entries_lock();
    struct cell *cell = own_cell();
    uint64_t epoch = tc_epoch(); /* signals blocked: an older epoch would undo a handler's read in a child */
    struct entry *entry = tc_entry_to_claim();
    if (entry != NULL)
        move_to(cell, &entry->slot);
    cell->key = 0;
    cell->epoch = epoch;
    tc_entries_unlock(signals);
}

static uint64_t present_epoch(struct cell *cell)
{
    uint64_t epoch = tc_epoch();
    while (__builtin_expect(TC_LOAD(cell->epoch) != epoch, 0)) {
        enter_epoch();
        epoch = tc_epoch();
    }
    return epoch;
}

void tc_own_allocate(void)
{
    (void)TC_LOAD(cell_of_thread()->key);
}

void tc_own_move_to(struct tc_slot *slot)
{
    move_to(own_cell(), slot);
}

void tc_own_move_home(void)
{
    struct cell *cell = own_cell();
    if (cell->slot != &cell->home && cell->slot != &cell->home_of_child) {
        cell->home = (struct tc_slot){0};
        move_to(cell, &cell->home);
    }
}

bool tc_own_is_in(const struct tc_slot *slot)
{
    return own_cell()->slot == slot;
}

void tc_own_seen(struct threadclock_times *times)
{
    struct cell *cell = cell_of_thread();
    const uint64_t *epoch_word = TC_LOAD_RELAXED(tc_epoch_word);
    uint64_t epoch = TC_LOAD(cell->epoch);
    if (__builtin_expect(epoch == 0 || epoch != TC_LOAD(*epoch_word), 0))
        present_epoch(cell);
    tc_slot_times(cell->slot, times);
}

enum threadclock_source_id tc_sample(struct threadclock_times *times, int *error)
{
    *error = tc_rusage_times(RUSAGE_THREAD, times);
    if (*error == 0)
        return THREADCLOCK_SOURCE_RUSAGE;
    return threadclock_proc_times(0, times) < 0 ? THREADCLOCK_SOURCE_NONE : THREADCLOCK_SOURCE_PROC;
}

/*
 * The precise clock; reading it also brings up to date the run time that getrusage splits. It also shows
 * whether the process was restored, in which case the counter may be another machine's.
 */
static int64_t read_sched(struct tc_slot *slot)
{
    uint64_t total_before_ns = TC_LOAD(slot->total_ns);
    int64_t sched_ns = threadclock_clock_ns(TC_CLOCK_OWN_SCHED);
    if (sched_ns >= 0 && tc_is_restored(total_before_ns, (uint64_t)sched_ns)) {
        tc_interpolation_end();
        tc_slot_restart_if_restored(slot, total_before_ns, (uint64_t)sched_ns);
    }
    return sched_ns;
}

/* The current epoch, and the slot that holds the thread's times. Repeats if a handler forked in between. */
static uint64_t present_slot(struct cell *cell, struct tc_slot **slot)
{
    uint64_t epoch;
    do {
        epoch = present_epoch(cell);
        *slot = TC_LOAD(cell->slot);
    } while (tc_epoch() != epoch);
    return epoch;
}

/*
 * True if epoch is still current after a sample went into its slot. In a child of a child, slot may be the
 * cell's again; the cell is then reset.
 */
static bool is_present(struct cell *cell, uint64_t epoch, const struct tc_slot *slot)
{
    uint64_t after = tc_epoch();
    if (tc_epoch_fork(after) != tc_epoch_fork(epoch)) {
        uint64_t signals = tc_signals_block();
        if (cell->slot == slot)
            cell->epoch = NO_EPOCH;
        tc_signals_restore(signals);
    }
    return after == epoch;
}

/*
 * Puts a sample into the cell, valid under key. A handler might fork between any two steps, and read in the
 * child. The slot is chosen before the sample is taken, so the parent's sample goes where the child does not
 * look. native/model covers all interleavings.
 */
static int fill(struct cell *cell, uint64_t key)
{
    for (;;) {
        struct tc_slot *slot;
        uint64_t epoch = present_slot(cell, &slot);
        struct threadclock_times times;
        int error;
        if (tc_sample(&times, &error) == THREADCLOCK_SOURCE_NONE)
            return error;
        if (tc_is_restored(TC_LOAD(slot->total_ns), (uint64_t)times.total_ns)) /* or the sample is old */
            read_sched(slot);
        tc_slot_merge(slot, (uint64_t)times.user_ns, (uint64_t)times.system_ns);
        if (is_present(cell, epoch, slot)) {
            if (key != TC_KEY_NEVER)
                TC_STORE(cell->key, key);
            return 0;
        }
    }
}

/* Reads the scheduler's run time, and stores it in the cell as well. */
static int64_t refresh_total(struct cell *cell)
{
    for (;;) {
        struct tc_slot *slot;
        uint64_t epoch = present_slot(cell, &slot);
        int64_t total_ns = read_sched(slot);
        if (total_ns < 0)
            return total_ns;
        tc_slot_raise_total(slot, (uint64_t)total_ns);
        if (is_present(cell, epoch, slot))
            return total_ns;
    }
}

/* Makes the cell at most a tick old. This is the only check on the hot path. */
static inline int refresh_tick(struct cell *cell)
{
    uint64_t key = tc_tick_key();
    const uint64_t *epoch_word = TC_LOAD_RELAXED(tc_epoch_word);
    if (__builtin_expect(TC_LOAD(cell->key) == key && TC_LOAD(cell->epoch) == TC_LOAD(*epoch_word), 1))
        return 0;
    return fill(cell, key);
}

static int refresh_now(struct cell *cell)
{
    refresh_total(cell); /* where it fails, the sample is up to a tick old, the best available */
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
    struct cell *cell = cell_of_thread();
    int error = refresh_tick(cell);
    return error < 0 ? error : user_ns(cell);
}

int64_t threadclock_system_tick_ns(void)
{
    struct cell *cell = cell_of_thread();
    int error = refresh_tick(cell);
    return error < 0 ? error : system_ns(cell);
}

int64_t threadclock_total_tick_ns(void)
{
    struct cell *cell = cell_of_thread();
    int error = refresh_tick(cell);
    return error < 0 ? error : total_ns(cell);
}

int threadclock_times_tick(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct cell *cell = cell_of_thread();
    int error = refresh_tick(cell);
    if (error == 0)
        tc_slot_times(cell->slot, times);
    return error;
}

int64_t threadclock_user_now_ns(void)
{
    struct cell *cell = cell_of_thread();
    int error = refresh_now(cell);
    return error < 0 ? error : user_ns(cell);
}

int64_t threadclock_system_now_ns(void)
{
    struct cell *cell = cell_of_thread();
    int error = refresh_now(cell);
    return error < 0 ? error : system_ns(cell);
}

int64_t threadclock_total_now_ns(void)
{
    struct cell *cell = cell_of_thread();
    int error = refresh_total(cell) < 0 ? fill(cell, TC_KEY_NEVER) : 0;
    return error < 0 ? error : total_ns(cell);
}

int threadclock_times_now(struct threadclock_times *times)
{
    if (times == NULL)
        return -EINVAL;
    struct cell *cell = cell_of_thread();
    int error = refresh_now(cell);
    if (error == 0)
        tc_slot_times(cell->slot, times);
    return error;
}

/*
 * The total by the precise clock, or its error. The anchor is the kernel's own answer, not the cell's value,
 * which may be ahead and would stay so.
 */
static int64_t total_anchored(struct cell *cell)
{
    struct tc_anchoring anchoring = tc_anchor_begin(&cell->anchor);
    int64_t kernel_ns = refresh_total(cell);
    tc_anchor_end(&cell->anchor, &anchoring, kernel_ns);
    return kernel_ns < 0 ? kernel_ns : total_ns(cell);
}

static int64_t total_anew(struct cell *cell)
{
    int error = total_anchored(cell) < 0 ? fill(cell, TC_KEY_NEVER) : 0;
    return error < 0 ? error : total_ns(cell);
}

/* The epoch is checked after the slot was raised, because a handler might fork before that: as in fill. */
int64_t threadclock_total_interpolated_ns(void)
{
    struct cell *cell = cell_of_thread();
    struct tc_slot *slot = TC_LOAD(cell->slot);
    uint64_t epoch = TC_LOAD(cell->epoch), ns;
    if (__builtin_expect(tc_interpolate(&cell->anchor, &ns), 1)) {
        tc_slot_raise_total(slot, ns);
        const uint64_t *epoch_word = TC_LOAD_RELAXED(tc_epoch_word);
        if (__builtin_expect(TC_LOAD(*epoch_word) == epoch, 1))
            return total_ns(cell);
        is_present(cell, epoch, slot);
    }
    return total_anew(cell);
}

/* The user share of the last tick, which is this moment's. A handler that has seen a newer tick wins. */
static uint64_t share_of_tick(struct cell *cell, const struct tc_moment *moment)
{
    struct tc_pair last = tc_slot_pair(&cell->moment);
    if (__builtin_expect(moment->sum_ns != last.sum_ns, 0)) {
        uint64_t share = tc_share_between(last.sum_ns, last.user_ns, moment, TC_WHOLE_SHARE);
        if (tc_pair_cas(&cell->moment, last, (struct tc_pair){moment->sum_ns, moment->user_ns}))
            TC_STORE(cell->system_share, TC_WHOLE_SHARE - share);
    }
    return TC_WHOLE_SHARE - TC_LOAD(cell->system_share);
}

/* A plain maximum: only the thread itself, and its handlers, which end before it continues, use it. */
static uint64_t highest_total(struct cell *cell, uint64_t total_ns)
{
    uint64_t highest_ns = TC_LOAD(cell->moment.total_ns);
    if (total_ns <= highest_ns && !tc_is_restored(highest_ns, total_ns))
        return highest_ns;
    TC_STORE(cell->moment.total_ns, total_ns);
    return total_ns;
}

/*
 * An interpolated total is not put into the slot, which spares a locked instruction: only moments depend on
 * it. The epoch is checked last, because a handler may have forked: the parent's moment is of no use to the
 * child.
 */
int tc_own_moment(enum threadclock_freshness freshness, struct tc_moment *moment)
{
    struct cell *cell = cell_of_thread();
    for (;;) {
        uint64_t ns;
        int error = refresh_tick(cell);
        if (error < 0)
            return error;
        uint64_t epoch = TC_LOAD(cell->epoch);
        struct tc_pair pair = tc_slot_pair(cell->slot);
        int64_t now_ns = freshness == THREADCLOCK_TICK  ? total_ns(cell)
                         : freshness == THREADCLOCK_NOW ? threadclock_total_now_ns()
                         : tc_interpolate(&cell->anchor, &ns) ? (int64_t)ns
                                                              : total_anchored(cell);
        if (now_ns < 0)
            return (int)now_ns;
        *moment = (struct tc_moment){highest_total(cell, (uint64_t)now_ns), pair.sum_ns, pair.user_ns, 0};
        moment->share = share_of_tick(cell, moment);
        const uint64_t *epoch_word = TC_LOAD_RELAXED(tc_epoch_word);
        /* Where the kernel does not wipe there is no word. */
        if (__builtin_expect(TC_LOAD(*epoch_word) == epoch, 1) || tc_epoch() == epoch)
            return 0;
        cell->moment = (struct tc_slot){0};
    }
}

void tc_own_identity(uint64_t identity[2])
{
    struct cell *cell = cell_of_thread();
    identity[0] = cell->serial;
    identity[1] = tc_epoch_fork(TC_LOAD(cell->epoch));
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
