/* SPDX-License-Identifier: Apache-2.0 */
/* The accounts of virtual threads: how they are found, held and reused. */
#ifndef TC_VIRTUAL_ACCOUNTS_H
#define TC_VIRTUAL_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "moment.h"
#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/* Groups are numbered from 0 to one less than this. */
enum { TC_VIRTUAL_GROUPS = 128 };

/* The handle of an account, never of another: once the account has ended, it fails forever. 0: none. */
typedef uint64_t tc_virtual;

/*
 * Allows accounts to begin, and sets the clock of switches: interpolated (the same as now without a vDSO),
 * now, or tick (whole ticks: right only in sums over many slices). Returns the epoch, which is never 0.
 */
TC_INTERNAL uint32_t tc_virtual_allow(enum threadclock_freshness clock);

/* Ends all accounts; none begins until they are allowed again. */
TC_INTERNAL void tc_virtual_forbid(void);

/* The current epoch (0: accounts are not allowed), and the clock. */
TC_INTERNAL uint32_t tc_virtual_epoch(void);
TC_INTERNAL enum threadclock_freshness tc_virtual_clock(void);

/*
 * Begins the account of the thread with this Java id, in a group (tc_group_of); returns that account if it
 * has begun already. 0: the epoch has passed, or there is no memory. Takes a lock.
 */
TC_INTERNAL tc_virtual tc_virtual_begin(uint64_t id, uint32_t group, bool whole, uint32_t epoch);

/* The account of the thread with this Java id; 0: there is none. Takes a lock. */
TC_INTERNAL tc_virtual tc_virtual_of(uint64_t id);

/* Ends an account, or that of the thread with this id, unless it has ended already. Takes a lock. */
TC_INTERNAL void tc_virtual_end(tc_virtual account);
TC_INTERNAL void tc_virtual_end_of(uint64_t id);

/* The number of accounts. */
TC_INTERNAL uint32_t tc_virtual_count(void);

/*
 * user_ns and system_ns are the sums over the finished slices. A thread that changes the account holds it
 * (BUSY in its word). That is normally the carrier, which has no rival; another thread holds the account only
 * to end it. Fields that readers elsewhere load without holding the account are stored with release and
 * loaded with acquire: a reader that sees a new value then sees BUSY, or a later word.
 *
 * `shown` is what readers have seen. No later value may be less, although a reader elsewhere estimates the
 * current slice by another clock, and divides it differently.
 */
struct account {
    struct tc_slot shown;
    uint64_t word;    /* serial, number of changes, BUSY */
    union {
        uint64_t id;        /* the Java thread id */
        uint32_t next_free; /* of a free account: index + 1 */
    };
    uint32_t epoch;
    uint32_t readers; /* elsewhere; an account that has some is not reused */
    uint64_t user_ns, system_ns;
    struct tc_moment since; /* the carrier's, when the current slice began */
    pid_t carrier;          /* 0: not mounted */
    bool whole;
    uint8_t group;
    struct tc_pair counted; /* the part of its time that is in the group's sum */
};
_Static_assert(sizeof(struct account) == 128, "and 4 in a list by id, as documented");

/*
 * Holds the account, to change it. Null: it has ended, its epoch has passed, or another thread is changing
 * it. Pass the word to release.
 */
TC_INTERNAL struct account *tc_account_hold(tc_virtual handle, uint64_t *word);

/*
 * The same by the thread's id; stores the handle as well. Takes the lock only if, of the ids that share a
 * list, another was held last.
 */
TC_INTERNAL struct account *tc_account_hold_of(uint64_t id, tc_virtual *handle, uint64_t *word);

/* Releases a held account, and ends it if its epoch has passed meanwhile. May take the lock. */
TC_INTERNAL void tc_account_release(struct account *account, tc_virtual handle, uint64_t word);

/* The account, to read it: it may end, but is not reused before tc_account_leave. */
TC_INTERNAL struct account *tc_account_watch(tc_virtual handle);
TC_INTERNAL void tc_account_leave(struct account *account);

/* The word of a watched account; 0: the account has ended, or its epoch has passed. */
TC_INTERNAL uint64_t tc_account_word(const struct account *account, tc_virtual handle);

/*
 * The sum of a group includes all that was counted of its accounts, also of ended ones, so it never
 * decreases. An account is counted when it ends, and when tc_accounts_count gets to it: call that with *next
 * = 0, and again until it returns false. Each call takes the lock for one chunk of accounts. It adds to
 * threads and mounted, by group, and returns in moving (which has room for one chunk) the accounts whose
 * threads are mounted, or being switched: the caller has to find their times and count them.
 */
enum { TC_ACCOUNTS_CHUNK = 1024 };
TC_INTERNAL bool tc_accounts_count(uint32_t *next, uint32_t threads[TC_VIRTUAL_GROUPS],
                                   uint32_t mounted[TC_VIRTUAL_GROUPS], tc_virtual moving[TC_ACCOUNTS_CHUNK],
                                   uint32_t *moving_count);

/* Counts an account up to these times, unless it has ended meanwhile, which has counted it. */
TC_INTERNAL void tc_account_count(tc_virtual handle, const struct threadclock_times *times);

/* The sum of each group. */
TC_INTERNAL void tc_accounts_sums(struct tc_pair sums[TC_VIRTUAL_GROUPS]);

/* True while a thread holds the account. */
static inline bool tc_account_is_busy(uint64_t word)
{
    return (word & 1) != 0;
}

#endif
