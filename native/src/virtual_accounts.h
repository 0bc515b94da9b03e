/* SPDX-License-Identifier: Apache-2.0 */
/* The accounts of virtual threads: how they are found, held and used again. */
#ifndef TC_VIRTUAL_ACCOUNTS_H
#define TC_VIRTUAL_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/* An account, never that of another thread: once it has ended, its handle fails for ever. 0: none. */
typedef uint64_t tc_virtual;

/*
 * Lets accounts begin, and sets the clock that is read at each switch: interpolated (which is now where it
 * does not work), now, or tick (whole ticks: right only in sums over many slices). Returns the epoch, which
 * is never 0.
 */
TC_INTERNAL uint32_t tc_virtual_allow(enum threadclock_freshness clock);

/* Ends all accounts; none begins until they are allowed again. */
TC_INTERNAL void tc_virtual_forbid(void);

/* The present epoch; 0: accounts are not allowed. And the clock. */
TC_INTERNAL uint32_t tc_virtual_epoch(void);
TC_INTERNAL enum threadclock_freshness tc_virtual_clock(void);

/*
 * Begins the account of the thread with this Java id: 0 if the epoch has passed, or without memory. Takes a
 * lock.
 */
TC_INTERNAL tc_virtual tc_virtual_begin(uint64_t id, bool whole, uint32_t epoch);

/* False: it has ended, its epoch has passed, or there never was one. */
TC_INTERNAL bool tc_virtual_is_present(tc_virtual account);

/* Ends an account; without effect if it has ended. Takes a lock. */
TC_INTERNAL void tc_virtual_end(tc_virtual account);

/* The number of accounts. */
TC_INTERNAL uint32_t tc_virtual_count(void);

/* A carrier's times at a moment: sum is user + system, as of a tick; total is that of the chosen clock. */
struct moment {
    uint64_t total_ns, sum_ns, user_ns;
};

/*
 * user and system are the finished slices. Whoever changes the account holds it (BUSY in its word), normally
 * its carrier without any rival: only an account that has ended meanwhile has others. What a reader elsewhere
 * loads without holding it is stored with release and loaded with acquire: whoever sees a new value then sees
 * BUSY, or a later word.
 *
 * `shown` is what readers have been told, from which no later value may decrease: a reader elsewhere
 * estimates the present slice by another clock, and by the split of an earlier one.
 */
struct account {
    struct tc_slot shown;
    uint64_t word;    /* serial, number of changes, BUSY */
    uint64_t id;      /* the Java thread id */
    uint32_t epoch;
    uint32_t readers; /* elsewhere: an account that has some is not used again */
    uint64_t user_ns, system_ns;
    struct moment since; /* when the present slice began */
    uint64_t share;      /* the user part of that slice as far as it is known */
    pid_t carrier;       /* 0: not mounted */
    bool whole;
    uint32_t next_free;  /* index + 1 */
};
_Static_assert(sizeof(struct account) == 128, "the documents say so");

/*
 * The account, to be changed; null: it has ended, its epoch has passed, or somebody changes it. Pass the word
 * on to release.
 */
TC_INTERNAL struct account *tc_account_hold(tc_virtual handle, uint64_t *word);
TC_INTERNAL void tc_account_release(struct account *account, uint64_t word);

/* The account, to be read: it is not used again until it is left, though it may end. */
TC_INTERNAL struct account *tc_account_watch(tc_virtual handle);
TC_INTERNAL void tc_account_leave(struct account *account);

/* The word of a watched account; 0: the account has ended, or its epoch has passed. */
TC_INTERNAL uint64_t tc_account_word(const struct account *account, tc_virtual handle);

/* True while somebody holds it. */
static inline bool tc_account_is_busy(uint64_t word)
{
    return (word & 1) != 0;
}

#endif
