/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of this process that are registered: each has one slot, whoever reads it. */
#include "threads.h"

#include <errno.h>

#include "entry.h"
#include "own_thread.h"
#include "sys.h"

/* One that its thread has claimed is not used again, for the thread may keep its times there still. */
static void end_adopted(pid_t tid)
{
    struct entry *entry = tc_entry_of_tid(tid);
    if (entry != NULL && entry->adopted && tc_entry_end(entry))
        tc_entry_retire(entry);
}

/*
 * What stands for a TID because it was read by it becomes the registration of that thread, if it still is that thread's;
 * else it ends: its thread has ended, and its times are no one's.
 */
static struct entry *take_over_adopted(pid_t tid)
{
    struct entry *entry = tc_entry_of_tid(tid);
    if (entry == NULL || !entry->adopted)
        return NULL;
    if (tc_thread_is(tid, 0, &entry->identity)) {
        tc_entry_disown(entry);
        return entry;
    }
    tc_entry_end(entry);
    tc_entry_retire(entry);
    return NULL;
}

/*
 * Registers (id, tid), or finds it registered; its thread claims it in its first read of itself, or the first in a new epoch. A
 * thread that comes back after forget_all finds its slot again.
 */
static int begin_registration(uint64_t id, pid_t tid, threadclock_thread *thread, struct tc_slot **slot)
{
    tc_entries_lock();
    struct entry *entry = tc_entry_of_id(id);
    int error = 0;
    if (entry != NULL && (entry->generation & 1) == 0 && !(entry->orphan && entry->tid == tid)) {
        error = -ESRCH; /* it ended while it was being registered */
    } else if (entry == NULL && (entry = take_over_adopted(tid)) != NULL) {
        if (id != 0)
            tc_entry_name(entry, id);
    } else if (entry == NULL && (entry = tc_entry_new(tid)) == NULL) {
        error = -ENOMEM;
    } else if ((entry->generation & 1) == 0) {
        end_adopted(tid);
        tc_entry_begin(entry);
        if (id != 0 && entry->id == 0)
            tc_entry_name(entry, id); /* last: who finds it before it stands would take it for one that has ended */
    }
    if (error == 0) {
        *thread = tc_entry_handle(entry);
        *slot = &entry->slot;
    }
    tc_entries_unlock();
    return error;
}

int tc_threads_register_own(uint64_t id, threadclock_thread *thread)
{
    struct tc_slot *slot;
    pid_t tid = tc_own_tid();
    int error = begin_registration(id, tid, thread, &slot);
    if (error == 0 && tc_own_cell_used(tid)) {
        tc_entry_claim(tid);
        tc_own_move_to(slot);
    }
    return error;
}

int tc_threads_register_other(uint64_t id, pid_t tid, threadclock_thread *thread)
{
    struct tc_slot *slot;
    return begin_registration(id, tid, thread, &slot);
}

int tc_threads_adopt(pid_t tid, const struct tc_thread_identity *identity, threadclock_thread *thread)
{
    tc_entries_lock();
    struct entry *entry = tc_entry_of_tid(tid);
    if (entry != NULL && entry->adopted && entry->identity.start != identity->start) {
        tc_entry_end(entry);
        tc_entry_retire(entry);
        entry = NULL;
    }
    if (entry == NULL && (entry = tc_entry_new(tid)) != NULL) {
        entry->adopted = 1;
        tc_entry_begin(entry);
    }
    if (entry != NULL) {
        entry->identity = *identity;
        *thread = tc_entry_handle(entry);
    }
    tc_entries_unlock();
    return entry != NULL ? 0 : -ENOMEM;
}

/* The calling thread's own registration; null: none. */
static struct entry *own_entry(void)
{
    return (struct entry *)(uintptr_t)tc_own_slot();
}

/* Where an ended registration was read by TID, that goes on: with its times, under a registration for that alone. */
static struct entry *successor(const struct entry *own)
{
    struct entry *entry = own->identity.start != 0 && tc_entry_of_tid(own->tid) == NULL ? tc_entry_new(own->tid) : NULL;
    if (entry != NULL) {
        entry->adopted = 1;
        entry->identity = own->identity;
        tc_slot_take_over(&entry->slot, &own->slot);
        tc_entry_begin(entry);
    }
    return entry;
}

/* The calling thread's times leave its slot, before that may be used again. The lock is held, and given back. */
static void leave(struct entry *own)
{
    struct entry *entry = successor(own);
    tc_entries_unlock();
    if (entry != NULL)
        tc_own_move_to(&entry->slot);
    else
        tc_own_move_home();
    tc_entries_lock();
    tc_entry_retire(own);
    tc_entries_unlock();
}

/* Ends what the calling thread was registered under. The lock is held, and given back. */
static void end_own(struct entry *entry)
{
    if (tc_own_cell_used(entry->tid))
        own_entry(); /* claims it, if it has not yet */
    bool unclaimed = (entry->generation & 1) != 0 && tc_entry_end(entry);
    entry->orphan = 0;
    if (!unclaimed && entry == own_entry()) {
        leave(entry);
        return;
    }
    if (unclaimed)
        successor(entry);
    tc_entry_retire(entry);
    tc_entries_unlock();
}

void tc_threads_end(uint64_t id)
{
    tc_entries_lock();
    struct entry *entry = tc_entry_of_id(id);
    if (entry != NULL) {
        end_own(entry);
        return;
    }
    if ((entry = tc_entry_new(0)) != NULL) {
        tc_entry_name(entry, id);
        tc_entry_retire(entry);
    }
    tc_entries_unlock();
}

int threadclock_thread_register(threadclock_thread *thread)
{
    if (thread == NULL)
        return -EINVAL;
    struct entry *own = own_entry();
    if (own == NULL || own->adopted || !tc_entry_stands(own, own->generation))
        return tc_threads_register_own(0, thread);
    own->nested++;
    *thread = tc_entry_handle(own);
    return 0;
}

int threadclock_thread_unregister(void)
{
    struct entry *own = own_entry();
    if (own == NULL || own->adopted || !tc_entry_stands(own, own->generation))
        return -ENOENT;
    if (own->nested > 0) {
        own->nested--;
        return 0;
    }
    if (own->id != 0)
        return -ENOENT; /* the agent's registration, not the caller's to end */
    tc_entries_lock();
    tc_entry_end(own);
    leave(own);
    return 0;
}

static void forget(threadclock_thread thread, bool adopted)
{
    struct entry *entry = tc_entry_hold(thread);
    if (entry == NULL)
        return;
    tc_entries_lock();
    if (entry->adopted == adopted && tc_entry_stands(entry, tc_generation_of(thread))) {
        TC_STORE(entry->orphan, !adopted); /* its thread may have claimed it; before its end, for who looks just then */
        tc_entry_end(entry);
        if (adopted)
            tc_entry_retire(entry);
    }
    tc_entries_unlock();
    tc_entry_release(entry, 0, 0);
}

void tc_threads_forget(threadclock_thread thread)
{
    forget(thread, false);
}

void tc_threads_forget_adopted(threadclock_thread thread)
{
    forget(thread, true);
}

void tc_threads_forget_all(void)
{
    tc_entries_lock();
    for (struct entry *entry = NULL; (entry = tc_entry_next(entry)) != NULL;) {
        if (tc_entry_stands(entry, entry->generation) && entry->id != 0) {
            TC_STORE(entry->orphan, 1);
            tc_entry_end(entry);
        }
    }
    tc_entries_unlock();
}

int tc_threads_find(uint64_t id, threadclock_thread *thread)
{
    uint32_t generation;
    bool orphan;
    struct entry *entry = tc_entry_find(id, &generation, &orphan);
    if (entry == NULL)
        return -ENOENT;
    *thread = tc_entry_handle_of(entry, generation);
    return generation & 1 ? 0 : orphan ? -ENOENT : -ESRCH;
}

struct tc_slot *tc_threads_claim_own(void)
{
    struct entry *entry = tc_entries_unclaimed() ? tc_entry_claim(tc_own_tid()) : NULL;
    return entry != NULL ? &entry->slot : NULL;
}

uint32_t tc_threads_count(void)
{
    return tc_entries_standing();
}
