/* SPDX-License-Identifier: Apache-2.0 */
/* The accounts of virtual threads: how they are found, held and used again. */
#ifndef TC_VIRTUAL_ACCOUNTS_H
#define TC_VIRTUAL_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/* Groups are numbers below this. */
enum { TC_VIRTUAL_GROUPS = 128 };

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
 * Begins the account of the thread with this Java id, in a group of virtual_groups.h: 0 if the epoch has
 * passed, or without memory. Takes a lock.
 */
TC_INTERNAL tc_virtual tc_virtual_begin(uint64_t id, uint32_t group, bool whole, uint32_t epoch);

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
 * estimates the present slice by another clock, and by another split.
 */
struct account {
    struct tc_slot shown;
    uint64_t word;    /* serial, number of changes, BUSY */
    union {
        uint64_t id;        /* the Java thread id */
        uint32_t next_free; /* of a free account: index + 1 */
    };
    uint32_t epoch;
    uint32_t readers; /* elsewhere: an account that has some is not used again */
    uint64_t user_ns, system_ns;
    struct moment since; /* when the present slice began */
    uint64_t share;      /* the user part of that slice as far as it is known */
    pid_t carrier;       /* 0: not mounted */
    bool whole;
    uint8_t group;
    struct tc_pair counted; /* what the group's sum has of it */
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

/*
 * The sums of groups have all that was counted of their accounts, also of those that have ended: no sum
 * decreases. Each account is counted when it ends, and by whoever goes through all of them with
 * tc_accounts_count, from *next = 0 until it is false. That takes the lock for about a thousand accounts at a
 * time. It adds to threads and mounted, by group, and returns in moving (which has room for one chunk) those
 * that are mounted, or being switched: their time is the caller's to find and count.
 */
enum { TC_ACCOUNTS_CHUNK = 1024 };
TC_INTERNAL bool tc_accounts_count(uint32_t *next, uint32_t threads[TC_VIRTUAL_GROUPS],
                                   uint32_t mounted[TC_VIRTUAL_GROUPS], tc_virtual moving[TC_ACCOUNTS_CHUNK],
                                   uint32_t *moving_count);

/* Counts an account up to these times, unless it has ended meanwhile, and so is counted. */
TC_INTERNAL void tc_account_count(tc_virtual handle, const struct threadclock_times *times);

/* The sum of each group: sum_ns is user + system. */
TC_INTERNAL void tc_accounts_sums(struct tc_pair sums[TC_VIRTUAL_GROUPS]);

/* True while somebody holds it. */
static inline bool tc_account_is_busy(uint64_t word)
{
    return (word & 1) != 0;
}

#endif
