/* SPDX-License-Identifier: Apache-2.0 */
/* The table of registered threads: how its entries are found, held and reused. */
#ifndef TC_ENTRIES_H
#define TC_ENTRIES_H

#include <stdbool.h>

#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/*
 * Entries are never freed, only reused, so a reader with a stale index still reads a valid entry, though
 * perhaps another thread's. The generation shows that: it is odd while the registration is active, and
 * differs for each registration. An ended entry goes through a queue before it is reused; until then lookups
 * report its id as ended. An entry with active readers is not reused.
 *
 * A registration has up to two owners: the thread's own register calls, and the id that a JVM gave. It ends
 * when neither is left.
 */
struct entry {
    struct tc_slot slot;
    uint64_t id;            /* the Java thread id; 0: none */
    uint64_t share_at_tick; /* see threads.h */
    uint64_t began_ns; /* CLOCK_BOOTTIME at its registration; if that is refused, later than any time */
    uint32_t generation;
    pid_t tid;
    uint32_t fork; /* of the epoch in which it was registered; a parent's entries are invalid */
    uint32_t index; /* never changes */
    uint32_t next_of_id, next_of_tid, next_in_queue; /* index + 1; 0: none */
    uint32_t readers;
    uint32_t registered; /* the thread's own register calls minus its unregister calls */
};

/* The entry of a handle, held so that it is not reused; null: the registration has ended. */
TC_INTERNAL struct entry *tc_entry_hold(threadclock_thread thread);

/* The same for an id: 0, its entry and that one's generation; -ENOENT: unknown; -ESRCH: ended. No lock. */
TC_INTERNAL int tc_entry_hold_id(uint64_t id, struct entry **entry, uint32_t *generation);

/* True if the registration of this generation is active. */
TC_INTERNAL bool tc_entry_stands(const struct entry *entry, uint32_t generation);

/*
 * Releases the entry. What was read is valid only if the registration is still active, because what its
 * thread reads after its end may be less: otherwise error 0 becomes -ESRCH.
 */
TC_INTERNAL int tc_entry_release(struct entry *entry, uint32_t generation, int error);

static inline uint32_t tc_generation_of(threadclock_thread thread)
{
    return (uint32_t)(thread >> 32);
}

static inline threadclock_thread tc_entry_handle(const struct entry *entry, uint32_t generation)
{
    return (uint64_t)generation << 32 | entry->index;
}

/* The entry with this id, and its generation at that moment (even: ended); null: none. Takes no lock. */
TC_INTERNAL struct entry *tc_entry_find(uint64_t id, uint32_t *generation);

/* The number of registered threads. Takes no lock. */
TC_INTERNAL uint32_t tc_entries_standing(void);

/*
 * Everything below needs the table's lock. Signals are blocked while it is held: a handler that reads its
 * thread's time may take the lock, so it must not interrupt the thread that holds it. Pass the result of lock
 * to unlock.
 */
TC_INTERNAL uint64_t tc_entries_lock(void);
TC_INTERNAL void tc_entries_unlock(uint64_t signals);

/* Begins a registration of a thread, which has no id yet; null: no memory. */
TC_INTERNAL struct entry *tc_entry_begin(pid_t tid, uint64_t began_ns);

/* Ends the registration; the entry may be reused later. */
TC_INTERNAL void tc_entry_end(struct entry *entry);

/* Ends the registration without ever reusing the entry, because its thread may keep its times there. */
TC_INTERNAL void tc_entry_abandon(struct entry *entry);

/*
 * Sets or removes the entry's id; records that an id has ended. It is set once the registration is active: a
 * reader that found it before would take it for ended.
 */
TC_INTERNAL void tc_entry_name(struct entry *entry, uint64_t id);
TC_INTERNAL void tc_entry_unname(struct entry *entry);
TC_INTERNAL void tc_entry_note_end(uint64_t id);

/* The entry with this id, ended or not; the thread's active one; null: none. */
TC_INTERNAL struct entry *tc_entry_of_id(uint64_t id);
TC_INTERNAL struct entry *tc_entry_of_tid(pid_t tid);

/*
 * The calling thread's active entry, if another thread made it; null: none. A thread that registered itself
 * knows its entry; any other entry with registered > 0 was left by an earlier thread with this TID that did
 * not unregister. No system call while there is no registration.
 */
TC_INTERNAL struct entry *tc_entry_to_claim(void);

#endif
