/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash chains by id (readers follow these without a lock) and by TID, over entries that are never unmapped.
 */
#include "entries.h"

#include <errno.h>
#include <stddef.h>

#include "lock.h"
#include "tick.h"

enum { CHUNK_ENTRIES = 1024, CHUNKS = 4096, BUCKETS = 4096, QUEUE_MIN = 256 };

static struct {
    struct tc_lock lock;
    uint32_t fork;
    uint32_t used;     /* entries ever used: lower indices are valid */
    uint32_t standing;
    uint32_t removals; /* changes when an entry leaves its chains: a search that found none then repeats */
    uint32_t queue_head, queue_tail, queued;
    uint32_t of_id[BUCKETS], of_tid[BUCKETS];
    struct entry *chunks[CHUNKS];
} table;

static uint32_t present_fork(void)
{
    return (uint32_t)tc_epoch_fork(tc_epoch());
}

static struct entry *entry_at(uint32_t index)
{
    return &TC_LOAD(table.chunks[index / CHUNK_ENTRIES])[index % CHUNK_ENTRIES];
}

/* Java ids and TIDs are consecutive. */
static uint32_t *bucket_of_id(uint64_t id)
{
    return &table.of_id[id % BUCKETS];
}

static uint32_t *bucket_of_tid(pid_t tid)
{
    return &table.of_tid[(uint32_t)tid % BUCKETS];
}

bool tc_entry_stands(const struct entry *entry, uint32_t generation)
{
    return TC_LOAD(entry->generation) == generation && (generation & 1) != 0
           && TC_LOAD(entry->fork) == present_fork();
}

/* A child drops the parent's whole table, because none of its threads exists there, and reuses the memory. */
uint64_t tc_entries_lock(void)
{
    uint64_t signals = tc_signals_block();
    bool broken = tc_lock(&table.lock) != 0;
    uint32_t fork = present_fork();
    if (table.fork != fork || broken) {
        for (uint32_t i = 0; i < BUCKETS; i++) {
            TC_STORE(table.of_id[i], 0);
            TC_STORE(table.of_tid[i], 0);
        }
        TC_STORE(table.used, 0);
        TC_STORE(table.standing, 0);
        table.queue_head = table.queue_tail = table.queued = 0;
        __atomic_add_fetch(&table.removals, 1, __ATOMIC_ACQ_REL);
        table.fork = fork;
    }
    return signals;
}

void tc_entries_unlock(uint64_t signals)
{
    tc_unlock(&table.lock);
    tc_signals_restore(signals);
}

/* Removes the entry from the chain that begins at link; the member at next_offset is the next link. */
static void unlink_from(uint32_t *link, const struct entry *entry, size_t next_offset)
{
    for (; *link != 0; link = (uint32_t *)((char *)entry_at(*link - 1) + next_offset)) {
        if (entry_at(*link - 1) == entry) {
            TC_STORE(*link, *(const uint32_t *)((const char *)entry + next_offset));
            __atomic_add_fetch(&table.removals, 1, __ATOMIC_ACQ_REL);
            return;
        }
    }
}

static void enqueue(uint32_t index)
{
    entry_at(index)->next_in_queue = 0;
    if (table.queued++ == 0)
        table.queue_head = index + 1;
    else
        entry_at(table.queue_tail - 1)->next_in_queue = index + 1;
    table.queue_tail = index + 1;
}

static struct entry *used_again(void)
{
    for (uint32_t tries = 0; table.queued > QUEUE_MIN && tries < QUEUE_MIN; tries++) {
        uint32_t index = table.queue_head - 1;
        struct entry *entry = entry_at(index);
        table.queue_head = entry->next_in_queue;
        table.queued--;
        if (__atomic_load_n(&entry->readers, __ATOMIC_SEQ_CST) == 0) {
            tc_entry_unname(entry);
            unlink_from(bucket_of_tid(entry->tid), entry, offsetof(struct entry, next_of_tid));
            return entry;
        }
        enqueue(index);
    }
    return NULL;
}

static struct entry *never_used(void)
{
    uint32_t index = table.used, chunk = index / CHUNK_ENTRIES;
    if (chunk >= CHUNKS)
        return NULL;
    if (table.chunks[chunk] == NULL) {
        struct entry *entries = tc_map(CHUNK_ENTRIES * sizeof *entries);
        if (entries == NULL)
            return NULL;
        TC_STORE(table.chunks[chunk], entries);
    }
    struct entry *entry = entry_at(index);
    entry->index = index;
    TC_STORE(entry->generation, entry->generation + (entry->generation & 1)); /* may be a parent's, odd */
    TC_STORE(entry->readers, 0);
    TC_STORE(table.used, index + 1);
    return entry;
}

/* An ended entry, cleared of its previous thread's data. */
static struct entry *cleared(pid_t tid)
{
    struct entry *entry = used_again();
    if (entry == NULL && (entry = never_used()) == NULL)
        return NULL;
    entry->slot = (struct tc_slot){0};
    TC_STORE(entry->share_at_tick, 0);
    TC_STORE(entry->id, 0);
    TC_STORE(entry->fork, table.fork);
    TC_STORE(entry->tid, tid);
    entry->registered = 0;
    return entry;
}

struct entry *tc_entry_begin(pid_t tid, uint64_t began_ns)
{
    struct entry *entry = cleared(tid);
    if (entry == NULL)
        return NULL;
    uint32_t *bucket = bucket_of_tid(tid);
    entry->next_of_tid = *bucket;
    TC_STORE(*bucket, entry->index + 1);
    entry->began_ns = began_ns;
    TC_STORE(table.standing, table.standing + 1);
    TC_STORE(entry->generation, entry->generation + 1);
    return entry;
}

void tc_entry_abandon(struct entry *entry)
{
    TC_STORE(entry->generation, entry->generation + 1);
    TC_STORE(table.standing, table.standing - 1);
}

void tc_entry_end(struct entry *entry)
{
    tc_entry_abandon(entry);
    enqueue(entry->index);
}

void tc_entry_name(struct entry *entry, uint64_t id)
{
    uint32_t *bucket = bucket_of_id(id);
    TC_STORE(entry->next_of_id, *bucket);
    TC_STORE(entry->id, id);
    TC_STORE(*bucket, entry->index + 1);
}

void tc_entry_unname(struct entry *entry)
{
    if (entry->id == 0)
        return;
    unlink_from(bucket_of_id(entry->id), entry, offsetof(struct entry, next_of_id));
    TC_STORE(entry->id, 0);
}

void tc_entry_note_end(uint64_t id)
{
    struct entry *entry = cleared(0);
    if (entry == NULL)
        return; /* no memory: the id is unknown again, and the JVM answers for its thread */
    tc_entry_name(entry, id);
    enqueue(entry->index);
}

struct entry *tc_entry_of_id(uint64_t id)
{
    for (uint32_t link = *bucket_of_id(id); link != 0; link = entry_at(link - 1)->next_of_id)
        if (entry_at(link - 1)->id == id)
            return entry_at(link - 1);
    return NULL;
}

struct entry *tc_entry_of_tid(pid_t tid)
{
    for (uint32_t link = *bucket_of_tid(tid); link != 0; link = entry_at(link - 1)->next_of_tid)
        if (entry_at(link - 1)->tid == tid && (entry_at(link - 1)->generation & 1) != 0)
            return entry_at(link - 1);
    return NULL;
}

struct entry *tc_entry_to_claim(void)
{
    struct entry *entry = table.standing > 0 ? tc_entry_of_tid(tc_own_tid()) : NULL;
    return entry != NULL && entry->registered == 0 ? entry : NULL;
}

struct entry *tc_entry_find(uint64_t id, uint32_t *generation)
{
    uint32_t removals;
    do {
        removals = TC_LOAD(table.removals);
        for (uint32_t link = TC_LOAD(*bucket_of_id(id)); link != 0;) {
            struct entry *entry = entry_at(link - 1);
            *generation = TC_LOAD(entry->generation);
            bool found = TC_LOAD(entry->id) == id && TC_LOAD(entry->fork) == present_fork();
            if (TC_LOAD(entry->generation) != *generation)
                continue; /* it began or ended in the meantime */
            if (found)
                return entry;
            link = TC_LOAD(entry->next_of_id);
        }
    } while (TC_LOAD(table.removals) != removals);
    return NULL;
}

static bool hold(struct entry *entry, uint32_t generation)
{
    __atomic_add_fetch(&entry->readers, 1, __ATOMIC_SEQ_CST);
    if (tc_entry_stands(entry, generation))
        return true;
    __atomic_sub_fetch(&entry->readers, 1, __ATOMIC_SEQ_CST);
    return false;
}

struct entry *tc_entry_hold(threadclock_thread thread)
{
    uint32_t index = (uint32_t)thread, generation = tc_generation_of(thread);
    if (index >= TC_LOAD(table.used) || (generation & 1) == 0)
        return NULL;
    struct entry *entry = entry_at(index);
    return hold(entry, generation) ? entry : NULL;
}

int tc_entry_hold_id(uint64_t id, struct entry **entry, uint32_t *generation)
{
    *entry = tc_entry_find(id, generation);
    if (*entry == NULL)
        return -ENOENT;
    return (*generation & 1) != 0 && hold(*entry, *generation) ? 0 : -ESRCH;
}

int tc_entry_release(struct entry *entry, uint32_t generation, int error)
{
    if (error == 0 && !tc_entry_stands(entry, generation))
        error = -ESRCH;
    __atomic_sub_fetch(&entry->readers, 1, __ATOMIC_SEQ_CST);
    return error;
}

uint32_t tc_entries_standing(void)
{
    return TC_LOAD(table.standing);
}
