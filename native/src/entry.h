/* SPDX-License-Identifier: Apache-2.0 */
/* The table of registered threads: its entries, how they are found, held and used again. */
#ifndef TC_ENTRY_H
#define TC_ENTRY_H

#include "slot.h"
#include "thread_identity.h"
#include "threadclock.h"

/*
 * Entries are never freed, only used again, so a reader that holds a stale index reads an entry, if another's. It finds out
 * by the generation, which is odd while the registration stands and differs for each. An entry that ended goes through a
 * queue before it is used again: for so long its id is known to have ended. What a reader is at work in is not used again.
 */
struct entry {
    struct tc_slot slot;
    uint64_t id;
    uint64_t share_at_tick; /* upper half: which tick; lower half: user_share then. One word, for readers race */
    struct tc_thread_identity identity; /* of one that is read by TID; start is 0 for others */
    uint32_t generation;
    pid_t tid;
    uint32_t fork; /* of the epoch in which it was registered; entries of a parent are nobody's */
    uint32_t next_of_id, next_of_tid, next_in_queue; /* index + 1; 0: none */
    uint32_t readers;
    uint16_t nested; /* register calls of the thread itself; only it changes this */
    uint8_t unclaimed; /* its thread has not found out yet, for it has not read itself since */
    uint8_t orphan; /* taken back by forget_all; its thread may still keep its times here */
    uint8_t adopted; /* registered for reads by TID: nobody reports its end */
};

#define TC_INTERNAL __attribute__((visibility("hidden")))

/* The entry of a handle, held so that it is not used again; null: the registration has ended. */
TC_INTERNAL struct entry *tc_entry_hold(threadclock_thread thread);

/* Does the registration of this generation stand? */
TC_INTERNAL bool tc_entry_stands(const struct entry *entry, uint32_t generation);

/*
 * Lets the entry go. What was read counts only if the registration stands even now, for what its thread reads after its end
 * may be less: 0 then becomes -ESRCH.
 */
TC_INTERNAL int tc_entry_release(struct entry *entry, uint32_t generation, int error);

static inline uint32_t tc_generation_of(threadclock_thread thread)
{
    return (uint32_t)(thread >> 32);
}

/* What follows changes the table and needs its lock, but for the finds that say otherwise. */
TC_INTERNAL void tc_entries_lock(void);
TC_INTERNAL void tc_entries_unlock(void);

/* A cleared entry in no chain, or null: no memory. */
TC_INTERNAL struct entry *tc_entry_new(pid_t tid);

/* Makes it findable by its id. */
TC_INTERNAL void tc_entry_name(struct entry *entry, uint64_t id);

/* The registration begins to stand, unclaimed; it ends: true if its thread has not claimed it, and now never will. */
TC_INTERNAL void tc_entry_begin(struct entry *entry);
TC_INTERNAL bool tc_entry_end(struct entry *entry);

/* An adopted one becomes a registration like the others. */
TC_INTERNAL void tc_entry_disown(struct entry *entry);

/* An ended entry that no thread keeps its times in: it may be used again, later. */
TC_INTERNAL void tc_entry_retire(struct entry *entry);

/* The handle of this generation, of the present one. */
TC_INTERNAL threadclock_thread tc_entry_handle_of(const struct entry *entry, uint32_t generation);
TC_INTERNAL threadclock_thread tc_entry_handle(const struct entry *entry);

/* The entry of id, in whatever state; null: none. */
TC_INTERNAL struct entry *tc_entry_of_id(uint64_t id);

/* The entry of a thread whose registration stands; null: none. */
TC_INTERNAL struct entry *tc_entry_of_tid(pid_t tid);

/* All entries ever used, one after the other: the first for null, null after the last. Needs no lock. */
TC_INTERNAL struct entry *tc_entry_next(const struct entry *entry);

/* As tc_entry_of_id without the lock: the generation and whether it is an orphan as they were when the id was the entry's. */
TC_INTERNAL struct entry *tc_entry_find(uint64_t id, uint32_t *generation, bool *orphan);

/* The unclaimed entry of the thread of this TID, without the lock; now claimed. Null: none. */
TC_INTERNAL struct entry *tc_entry_claim(pid_t tid);

/* How many registrations stand, adopted ones not counted; whether there is any that its thread has not claimed. */
TC_INTERNAL uint32_t tc_entries_standing(void);
TC_INTERNAL bool tc_entries_unclaimed(void);

#endif
