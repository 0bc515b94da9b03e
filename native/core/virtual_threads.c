/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the slices of virtual threads, each divided between user and system as its carrier's time is. */
#include "virtual_threads.h"

#include <errno.h>
#include <stddef.h>

#include "clock_id.h"
#include "interpolated.h"
#include "lock.h"
#include "own_thread.h"
#include "slot.h"
#include "tick.h"

/*
 * A thread as a carrier. Its clock is not read at each switch: what lies between two switches, a slice or the
 * gap between two slices, is taken for run time. A carrier that was preempted or waited meanwhile shows by a
 * long stretch: its clock is read at once, and the stretch gets what it has used. What is too short to show
 * puts the total ahead of the clock. The next read, at most READ_NS later, finds that out, and stretches then
 * have no time until the clock has caught up.
 *
 * Waits that do not show would always be taken off other stretches than their own. A wait in a gap is that of
 * a carrier without work: the limit is lower there. If a read finds more time missing than the stretch that
 * stands out explains, there are waits in slices (a monitor, a system call): for WARY_NS the clock is read
 * after each slice.
 */
struct carrier {
    tc_virtual mounted;
    pid_t tid;
    struct tc_moment read; /* by its clock */
    uint64_t read_ns, switched_ns, wary_ns; /* by passing_ns, which may change to another clock once */
    uint64_t highest_ns;                    /* of its totals, read or estimated */
};

enum {
    READ_NS = 1000000,
    LONG_SLICE_NS = 100000,
    LONG_GAP_NS = 10000,
    WARY_NS = 64000000,
    /* What may be missing without a wait: interrupts, and the inaccuracy of the clocks. */
    NOISE_NS = 2000,
    NOISE_SHARE = 32,
    INACCURACY_SHARE = 1024
};

static _Thread_local struct carrier own;

/* Computed once per call: without the asm the compiler resolves the TLS descriptor before each use. */
static inline struct carrier *own_carrier(void)
{
    struct carrier *carrier = &own;
    __asm__("" : "+r"(carrier));
    return carrier;
}

/* Totals do not decrease, unless the process was restored. */
static void raise_total(struct carrier *carrier, struct tc_moment *now)
{
    if (now->total_ns < carrier->highest_ns && !tc_is_restored(carrier->highest_ns, now->total_ns))
        now->total_ns = carrier->highest_ns;
    carrier->highest_ns = now->total_ns;
}

/* The carrier's moment by a clock. */
static int read_moment(struct carrier *carrier, enum threadclock_freshness clock, struct tc_moment *now)
{
    int error = tc_own_moment(clock, now);
    if (error == 0)
        raise_total(carrier, now);
    return error;
}

/* Time that passes, by the cheapest clock; negative: there is none without a system call. */
static int64_t passing_ns(void)
{
    int64_t ns = tc_counter_ns();
    return ns >= 0 ? ns : tc_monotonic_ns();
}

/*
 * Whether a stretch since the last read of the carrier's clock, but not the one that ends now, had a wait:
 * more time is missing than this one has, or it would have shown in another way. A gap stands out if nearly
 * all of it is missing, or more than the stretches before it have (it ran and was preempted).
 */
static bool hid_wait(const struct carrier *carrier, bool slice, int64_t stretch_ns, uint64_t now_ns,
                     uint64_t total_ns)
{
    int64_t passed_ns = (int64_t)(now_ns - carrier->read_ns);
    int64_t missing_ns = passed_ns - (int64_t)(total_ns - carrier->read.total_ns);
    if (carrier->read_ns == 0 || missing_ns < NOISE_NS || missing_ns < passed_ns / NOISE_SHARE)
        return false;
    bool stands_out = slice ? stretch_ns >= LONG_SLICE_NS
                            : stretch_ns >= LONG_GAP_NS && (missing_ns > stretch_ns - LONG_GAP_NS
                                                            || missing_ns > passed_ns - stretch_ns);
    return !stands_out || missing_ns > stretch_ns + stretch_ns / INACCURACY_SHARE;
}

/* The carrier's moment at a switch that ends a slice or, if not, a gap. */
static int switch_moment(struct carrier *carrier, bool slice, struct tc_moment *now)
{
    enum threadclock_freshness clock = tc_virtual_clock();
    int64_t passing = clock == THREADCLOCK_INTERPOLATED ? passing_ns() : -1;
    if (passing < 0)
        return read_moment(carrier, clock, now);
    uint64_t now_ns = (uint64_t)passing, stretch_ns = now_ns - carrier->switched_ns;
    uint64_t long_ns = !slice ? LONG_GAP_NS : now_ns < carrier->wary_ns ? 0 : LONG_SLICE_NS;
    if (stretch_ns < long_ns && now_ns - carrier->read_ns < READ_NS) {
        carrier->switched_ns = now_ns;
        *now = carrier->read;
        now->total_ns += now_ns - carrier->read_ns;
    } else {
        int error = tc_own_moment(clock, now);
        if (error == 0 && hid_wait(carrier, slice, (int64_t)stretch_ns, now_ns, now->total_ns))
            carrier->wary_ns = now_ns + WARY_NS;
        carrier->read_ns = 0; /* nothing is estimated from it if it fails */
        if (error < 0)
            return error;
        carrier->read = *now;
        /* Time is read after the clock, so that an estimate is behind by the time between. */
        carrier->read_ns = carrier->switched_ns = (uint64_t)passing_ns();
    }
    raise_total(carrier, now);
    return 0;
}

static void begin_slice(struct account *account, const struct tc_moment *now)
{
    TC_STORE(account->since.total_ns, now->total_ns);
    TC_STORE(account->since.sum_ns, now->sum_ns);
    TC_STORE(account->since.user_ns, now->user_ns);
    TC_STORE(account->since.share, now->share);
}

/* False: the slice's length is unknown, because the process was restored during it; the account must end. */
static bool end_slice(struct account *account, const struct tc_moment *now)
{
    if (tc_is_restored(account->since.total_ns, now->total_ns))
        return false;
    struct threadclock_times used = tc_times_between(&account->since, now, now->share);
    TC_STORE(account->user_ns, account->user_ns + (uint64_t)used.user_ns);
    TC_STORE(account->system_ns, account->system_ns + (uint64_t)used.system_ns);
    return true;
}

static void unmount(struct carrier *carrier)
{
    struct tc_moment now;
    uint64_t word;
    tc_virtual handle = carrier->mounted;
    struct account *account = tc_account_hold(handle, &word);
    carrier->mounted = 0;
    if (account == NULL)
        return;
    bool known = true;
    if (account->carrier == carrier->tid) {
        known = switch_moment(carrier, true, &now) == 0 && end_slice(account, &now);
        TC_STORE(account->carrier, 0);
    }
    tc_account_release(account, handle, word);
    if (!known)
        tc_virtual_end(handle);
}

void tc_virtual_unmount(void)
{
    unmount(own_carrier());
}

/* account is held, or null. */
static bool mount(struct carrier *carrier, tc_virtual handle, struct account *account, uint64_t word)
{
    struct tc_moment now;
    if (account == NULL)
        return false;
    if (carrier->tid == 0)
        carrier->tid = tc_own_tid();
    bool known = switch_moment(carrier, false, &now) == 0;
    if (known) {
        begin_slice(account, &now);
        TC_STORE(account->carrier, carrier->tid);
        carrier->mounted = handle;
    }
    tc_account_release(account, handle, word);
    if (!known)
        tc_virtual_end(handle);
    return true;
}

static struct carrier *free_carrier(void)
{
    struct carrier *carrier = own_carrier();
    if (carrier->mounted != 0) /* its unmounting was not reported */
        unmount(carrier);
    return carrier;
}

bool tc_virtual_mount(tc_virtual handle)
{
    struct carrier *carrier = free_carrier();
    uint64_t word;
    struct account *account = tc_account_hold(handle, &word);
    return mount(carrier, handle, account, word);
}

bool tc_virtual_mount_of(uint64_t id)
{
    struct carrier *carrier = free_carrier();
    tc_virtual handle;
    uint64_t word;
    struct account *account = tc_account_hold_of(id, &handle, &word);
    return mount(carrier, handle, account, word);
}

/* Merges the times into what readers have seen, so that no value decreases for any of them. */
static void show(struct account *account, uint64_t user_ns, uint64_t system_ns,
                 struct tc_virtual_times *times)
{
    tc_slot_merge(&account->shown, user_ns, system_ns);
    tc_slot_times(&account->shown, &times->times);
}

int tc_virtual_own_times(uint64_t id, enum threadclock_freshness freshness, struct tc_virtual_times *times)
{
    struct tc_moment now;
    uint64_t word;
    struct carrier *carrier = own_carrier();
    struct account *account = tc_account_hold(carrier->mounted, &word);
    if (account == NULL)
        return -ENOENT;
    if (tc_virtual_clock() == THREADCLOCK_TICK) /* a fresher clock would also count what was mounted before */
        freshness = THREADCLOCK_TICK;
    bool mounted_here = account->id == id && account->carrier == carrier->tid, known = true;
    int error = mounted_here ? read_moment(carrier, freshness, &now) : -ENOENT;
    if (error == 0 && (freshness != THREADCLOCK_TICK || now.sum_ns != account->since.sum_ns)) {
        known = end_slice(account, &now);
        begin_slice(account, &now);
    }
    if (error == 0 && known) {
        show(account, account->user_ns, account->system_ns, times);
        times->account = carrier->mounted;
        times->whole = account->whole;
    }
    tc_account_release(account, carrier->mounted, word);
    if (!known)
        tc_virtual_end(carrier->mounted);
    return known ? error : -ENOENT;
}

/* The time of the slice that began at since_ns on this carrier; 0 if its clock cannot be read. */
static uint64_t slice_of(pid_t tid, uint64_t since_ns)
{
    int64_t total_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED);
    return total_ns > 0 && (uint64_t)total_ns > since_ns ? (uint64_t)total_ns - since_ns : 0;
}

/*
 * The user share of a slice that has lasted for many ticks and may be very different from what its carrier
 * did before: the kernel's split, as other threads read it. It differs from the carrier's own account by
 * about a tick.
 */
static uint64_t share_of_long(pid_t tid, uint64_t sum_ns, uint64_t user_ns, uint64_t slice_ns, uint64_t known)
{
    enum { LONG_NS = 50000000 };
    struct threadclock_times times;
    if (slice_ns < LONG_NS || threadclock_tid_times(tid, &times) != 0)
        return known;
    struct tc_moment now = {.sum_ns = (uint64_t)(times.user_ns + times.system_ns),
                         .user_ns = (uint64_t)times.user_ns};
    return tc_share_between(sum_ns, user_ns, &now, known);
}

/*
 * Reads the account while its thread is not being switched, and estimates the current slice. The word is
 * checked again last, because in an epoch that has passed the end of the slice may not have been noticed.
 */
static int read_account(struct account *account, tc_virtual handle, struct tc_virtual_times *times)
{
    enum { CLOCK_TRIES = 4, SPINS = 100 };
    for (int tries = 0;; tries++) {
        uint64_t word = tc_account_word(account, handle);
        if (word == 0)
            return -ESRCH;
        uint64_t user_ns = TC_LOAD(account->user_ns), system_ns = TC_LOAD(account->system_ns);
        uint64_t since_ns = TC_LOAD(account->since.total_ns), share = TC_LOAD(account->since.share);
        uint64_t since_sum_ns = TC_LOAD(account->since.sum_ns);
        uint64_t since_user_ns = TC_LOAD(account->since.user_ns);
        bool whole = TC_LOAD(account->whole);
        bool estimated = tries < CLOCK_TRIES && tc_virtual_clock() != THREADCLOCK_TICK;
        pid_t tid = estimated ? TC_LOAD(account->carrier) : 0;
        uint64_t slice_ns = tid > 0 ? slice_of(tid, since_ns) : 0;
        share = share_of_long(tid, since_sum_ns, since_user_ns, slice_ns, share);
        if (!tc_account_is_busy(word) && tc_account_word(account, handle) == word) {
            uint64_t slice_user_ns = tc_scaled(slice_ns, share);
            times->account = handle;
            times->whole = whole;
            show(account, user_ns + slice_user_ns, system_ns + slice_ns - slice_user_ns, times);
            return 0;
        }
        if (tries > SPINS)
            tc_pause(); /* its carrier was preempted while it held the account */
    }
}

int tc_virtual_times(tc_virtual handle, struct tc_virtual_times *times)
{
    if (handle == 0)
        return -ESRCH;
    struct account *account = tc_account_watch(handle);
    int error = read_account(account, handle, times);
    tc_account_leave(account);
    return error;
}
