/* SPDX-License-Identifier: Apache-2.0 */
/* Which entry belongs to the calling thread or to an id, and which slot a thread's times move to and from. */
#include "threads.h"

#include <errno.h>

#include "entries.h"
#include "own_thread.h"

/* True if the calling thread registered itself, which moves its times into the entry. */
static bool registered_itself(const struct entry *entry)
{
    return entry->registered > 0 && tc_own_is_in(&entry->slot);
}

/*
 * The calling thread's active entry, or null. Ends an entry left by an earlier thread with the same TID: one
 * that did not unregister, or had another Java thread id.
 */
static struct entry *own_entry(pid_t tid, uint64_t id)
{
    struct entry *entry = tc_entry_of_tid(tid);
    if (entry == NULL || registered_itself(entry))
        return entry;
    if (entry->registered == 0 && (id == 0 || entry->id == id))
        return entry;
    tc_entry_end(entry);
    return NULL;
}

/* Read before signals are blocked: a filter of system calls may answer this one by a signal. */
static uint64_t now_ns(void)
{
    return (uint64_t)threadclock_clock_ns(CLOCK_BOOTTIME);
}

/* If the bit is clear, the thread has not registered itself, and nothing below uses thread-local storage. */
pid_t tc_threads_own_tid(void)
{
    pid_t tid = tc_own_tid();
    if (tid > 0 && tc_own_cell_used(tid))
        tc_own_allocate();
    return tid;
}

/* Readers find the entry by the id from then on, so it first gets what they have seen of the thread. */
static void name_entry(struct entry *entry, uint64_t id, const struct tc_slot *seen)
{
    if (seen != NULL)
        tc_slot_take_over(&entry->slot, seen);
    tc_entry_name(entry, id);
}

/*
 * A thread that has not read itself yet finds its entry at its first read; so a starting thread needs no
 * thread-local storage.
 */
int tc_threads_register_own(uint64_t id, pid_t tid, const struct tc_slot *seen, threadclock_thread *thread)
{
    uint64_t began_ns = now_ns(), signals = tc_entries_lock();
    struct entry *entry = own_entry(tid, id);
    if (entry == NULL)
        entry = tc_entry_begin(tid, began_ns);
    if (entry != NULL && entry->id != id) {
        tc_entry_unname(entry);
        name_entry(entry, id, seen);
    }
    if (entry != NULL) {
        *thread = tc_entry_handle(entry, entry->generation);
        if (tc_own_cell_used(tid))
            tc_own_move_to(&entry->slot);
    } else if (tc_own_cell_used(tid)) {
        tc_own_move_home(); /* its entry may have ended, and be reused */
    }
    tc_entries_unlock(signals);
    return entry != NULL ? 0 : -ENOMEM;
}

/* An entry of the TID with another id belongs to a new thread with the TID: the one looked up has ended. */
static int register_other(uint64_t id, pid_t tid, const struct tc_slot *seen, uint64_t began_ns,
                          struct entry **entry)
{
    *entry = tc_entry_of_id(id);
    if (*entry != NULL)
        return tc_entry_stands(*entry, (*entry)->generation) && (*entry)->tid == tid ? 0 : -ESRCH;
    *entry = tc_entry_of_tid(tid);
    if (*entry == NULL)
        *entry = tc_entry_begin(tid, began_ns);
    if (*entry == NULL)
        return -ENOMEM;
    if ((*entry)->id != 0)
        return -ESRCH;
    name_entry(*entry, id, seen);
    return 0;
}

int tc_threads_register_other(uint64_t id, pid_t tid, const struct tc_slot *seen, threadclock_thread *thread)
{
    struct entry *entry;
    uint64_t began_ns = now_ns(), signals = tc_entries_lock();
    int error = register_other(id, tid, seen, began_ns, &entry);
    if (error == 0)
        *thread = tc_entry_handle(entry, entry->generation);
    tc_entries_unlock(signals);
    return error;
}

/* Removes the id; ends the registration as well, unless the thread has registered itself. */
static void end_id(struct entry *entry, uint64_t id, void (*end)(struct entry *))
{
    if (entry->registered == 0) {
        end(entry);
    } else {
        tc_entry_unname(entry);
        tc_entry_note_end(id);
    }
}

/* The thread keeps its times: it may run on without the JVM. */
static void end_own(struct entry *entry)
{
    if (tc_own_cell_used(entry->tid)) {
        tc_own_move_to(&entry->slot);
        tc_own_move_home();
    }
    tc_entry_end(entry);
}

void tc_threads_end(uint64_t id)
{
    tc_threads_own_tid();
    uint64_t signals = tc_entries_lock();
    struct entry *entry = tc_entry_of_id(id);
    if (entry == NULL)
        tc_entry_note_end(id);
    else if (tc_entry_stands(entry, entry->generation))
        end_id(entry, id, end_own);
    tc_entries_unlock(signals);
}

void tc_threads_forget(threadclock_thread thread)
{
    struct entry *entry = tc_entry_hold(thread);
    if (entry == NULL)
        return;
    uint64_t signals = tc_entries_lock();
    if (tc_entry_stands(entry, tc_generation_of(thread)) && entry->id != 0)
        end_id(entry, entry->id, tc_entry_abandon);
    tc_entries_unlock(signals);
    tc_entry_release(entry, 0, 0);
}

static int register_itself(uint64_t began_ns, threadclock_thread *thread)
{
    pid_t tid = tc_own_tid();
    if (tid < 0)
        return tid;
    struct entry *entry = own_entry(tid, 0);
    if (entry == NULL)
        entry = tc_entry_begin(tid, began_ns);
    if (entry == NULL)
        return -ENOMEM;
    if (entry->registered == UINT32_MAX)
        return -EOVERFLOW;
    entry->registered++;
    tc_own_move_to(&entry->slot);
    *thread = tc_entry_handle(entry, entry->generation);
    return 0;
}

int threadclock_thread_register(threadclock_thread *thread)
{
    if (thread == NULL)
        return -EINVAL;
    tc_own_allocate();
    uint64_t began_ns = now_ns(), signals = tc_entries_lock();
    int error = register_itself(began_ns, thread);
    tc_entries_unlock(signals);
    return error;
}

int threadclock_thread_unregister(void)
{
    pid_t tid = tc_own_tid();
    if (tid < 0)
        return tid;
    tc_own_allocate();
    uint64_t signals = tc_entries_lock();
    struct entry *entry = tc_entry_of_tid(tid);
    int error = entry != NULL && registered_itself(entry) ? 0 : -ENOENT;
    if (error == 0 && --entry->registered == 0 && entry->id == 0) {
        tc_own_move_home();
        tc_entry_end(entry);
    }
    tc_entries_unlock(signals);
    return error;
}

int tc_threads_find(uint64_t id, threadclock_thread *thread)
{
    uint32_t generation;
    struct entry *entry = tc_entry_find(id, &generation);
    if (entry == NULL)
        return -ENOENT;
    *thread = tc_entry_handle(entry, generation);
    return generation & 1 ? 0 : -ESRCH;
}

threadclock_thread tc_threads_of_tid(pid_t tid, uint64_t started_ns, uint64_t *began_ns)
{
    *began_ns = 0;
    if (tc_entries_standing() == 0)
        return 0;
    uint64_t signals = tc_entries_lock();
    struct entry *entry = tc_entry_of_tid(tid);
    bool is_its_own = entry != NULL && entry->began_ns >= started_ns;
    threadclock_thread thread = is_its_own ? tc_entry_handle(entry, entry->generation) : 0;
    if (is_its_own && entry->id != 0 && entry->began_ns <= INT64_MAX)
        *began_ns = entry->began_ns;
    tc_entries_unlock(signals);
    return thread;
}

bool tc_threads_hold_tid(threadclock_thread thread)
{
    struct entry *entry = tc_entry_hold(thread);
    bool has_id = entry != NULL && TC_LOAD(entry->id) != 0;
    return entry != NULL && tc_entry_release(entry, tc_generation_of(thread), 0) == 0 && has_id;
}

pid_t tc_threads_tid(uint64_t id)
{
    uint32_t generation;
    struct entry *entry = tc_entry_find(id, &generation);
    pid_t tid = entry != NULL ? TC_LOAD(entry->tid) : -1;
    return entry != NULL && tc_entry_stands(entry, generation) ? tid : -ESRCH;
}

int tc_threads_seen(uint64_t id, struct threadclock_times *times)
{
    struct entry *entry;
    uint32_t generation;
    int error = tc_entry_hold_id(id, &entry, &generation);
    if (error != 0)
        return error;
    tc_slot_times(&entry->slot, times);
    return tc_entry_release(entry, generation, 0);
}
