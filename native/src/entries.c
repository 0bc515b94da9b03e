/* SPDX-License-Identifier: Apache-2.0 */
/* The table of registered threads: its entries, how they are found, held and used again. */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "entry.h"
#include "lock.h"
#include "sys.h"
#include "tick.h"

enum { CHUNK_ENTRIES = 1024, CHUNKS = 4096, BUCKETS = 4096, QUEUE_MIN = 256 };

static struct {
    struct tc_lock lock;
    uint32_t fork;
    uint32_t used;     /* entries ever used: indices below are valid */
    uint32_t standing; /* registrations that stand, adopted ones not counted */
    uint32_t unclaimed;
    uint32_t removals; /* changes whenever an entry leaves its chains: a search that met none is in doubt */
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

static uint32_t index_of(const struct entry *entry)
{
    for (uint32_t chunk = 0;; chunk++)
        if (entry >= table.chunks[chunk] && entry < table.chunks[chunk] + CHUNK_ENTRIES)
            return chunk * CHUNK_ENTRIES + (uint32_t)(entry - table.chunks[chunk]);
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

threadclock_thread tc_entry_handle_of(const struct entry *entry, uint32_t generation)
{
    return (uint64_t)generation << 32 | index_of(entry);
}

threadclock_thread tc_entry_handle(const struct entry *entry)
{
    return tc_entry_handle_of(entry, entry->generation);
}

bool tc_entry_stands(const struct entry *entry, uint32_t generation)
{
    return TC_LOAD(entry->generation) == generation && (generation & 1) != 0 && entry->fork == present_fork();
}

/* In a child the table of the parent is dropped whole: none of its threads is there. Its memory is used again. */
void tc_entries_lock(void)
{
    bool broken = tc_lock(&table.lock) != 0;
    uint32_t fork = present_fork();
    if (table.fork == fork && !broken)
        return;
    for (uint32_t i = 0; i < BUCKETS; i++)
        table.of_id[i] = table.of_tid[i] = 0;
    table.used = table.standing = table.unclaimed = table.queue_head = table.queue_tail = table.queued = 0;
    table.removals++;
    table.fork = fork;
}

void tc_entries_unlock(void)
{
    tc_unlock(&table.lock);
}

/* Takes the entry out of the chain that begins at link; the member at this offset leads on. */
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

void tc_entry_name(struct entry *entry, uint64_t id)
{
    uint32_t *bucket = bucket_of_id(id);
    TC_STORE(entry->next_of_id, *bucket);
    TC_STORE(entry->id, id);
    TC_STORE(*bucket, index_of(entry) + 1);
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

void tc_entry_retire(struct entry *entry)
{
    enqueue(index_of(entry));
}

static struct entry *used_again(void)
{
    for (uint32_t tries = 0; table.queued > QUEUE_MIN && tries < QUEUE_MIN; tries++) {
        uint32_t index = table.queue_head - 1;
        struct entry *entry = entry_at(index);
        table.queue_head = entry->next_in_queue;
        table.queued--;
        if (__atomic_load_n(&entry->readers, __ATOMIC_SEQ_CST) == 0) {
            if (entry->id != 0)
                unlink_from(bucket_of_id(entry->id), entry, offsetof(struct entry, next_of_id));
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
        long memory = tc_syscall6(SYS_mmap, 0, CHUNK_ENTRIES * sizeof(struct entry), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory < 0 && memory > -4096)
            return NULL;
        TC_STORE(table.chunks[chunk], (struct entry *)memory);
    }
    struct entry *entry = entry_at(index);
    entry->generation += entry->generation & 1; /* in a child: the parent's, which stands no more */
    entry->readers = 0;
    TC_STORE(table.used, index + 1);
    return entry;
}

struct entry *tc_entry_new(pid_t tid)
{
    struct entry *entry = used_again();
    if (entry == NULL && (entry = never_used()) == NULL)
        return NULL;
    TC_STORE(entry->id, 0);
    entry->slot = (struct tc_slot){0};
    entry->share_at_tick = 0;
    entry->identity = (struct tc_thread_identity){0};
    entry->nested = 0;
    entry->orphan = entry->unclaimed = entry->adopted = 0;
    entry->fork = table.fork;
    entry->tid = tid;
    uint32_t *bucket = bucket_of_tid(tid);
    TC_STORE(entry->next_of_tid, *bucket);
    TC_STORE(*bucket, index_of(entry) + 1);
    return entry;
}

void tc_entry_begin(struct entry *entry)
{
    entry->fork = table.fork;
    TC_STORE(entry->unclaimed, 1);
    table.standing += !entry->adopted;
    __atomic_add_fetch(&table.unclaimed, 1, __ATOMIC_ACQ_REL);
    TC_STORE(entry->generation, entry->generation + 1);
    TC_STORE(entry->orphan, 0);
}

bool tc_entry_end(struct entry *entry)
{
    TC_STORE(entry->generation, entry->generation + 1);
    table.standing -= !entry->adopted;
    bool unclaimed = __atomic_exchange_n(&entry->unclaimed, 0, __ATOMIC_ACQ_REL);
    __atomic_sub_fetch(&table.unclaimed, unclaimed, __ATOMIC_ACQ_REL);
    return unclaimed;
}

void tc_entry_disown(struct entry *entry)
{
    table.standing += entry->adopted;
    entry->adopted = 0;
}

struct entry *tc_entry_of_id(uint64_t id)
{
    for (uint32_t link = id != 0 ? *bucket_of_id(id) : 0; link != 0; link = entry_at(link - 1)->next_of_id)
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

struct entry *tc_entry_next(const struct entry *entry)
{
    uint32_t index = entry == NULL ? 0 : index_of(entry) + 1;
    return index < TC_LOAD(table.used) ? entry_at(index) : NULL;
}

struct entry *tc_entry_find(uint64_t id, uint32_t *generation, bool *orphan)
{
    uint32_t removals;
    do {
        removals = TC_LOAD(table.removals);
        for (uint32_t link = TC_LOAD(*bucket_of_id(id)); link != 0;) {
            struct entry *entry = entry_at(link - 1);
            *generation = TC_LOAD(entry->generation);
            *orphan = TC_LOAD(entry->orphan);
            if (TC_LOAD(entry->generation) != *generation)
                continue; /* it began or ended in between */
            if (TC_LOAD(entry->id) == id && entry->fork == present_fork())
                return entry;
            link = TC_LOAD(entry->next_of_id);
        }
    } while (TC_LOAD(table.removals) != removals);
    return NULL;
}

/* The entry may change hands at any time: what was claimed is looked at again, and given back if it is another's. */
static bool claim(struct entry *entry, pid_t tid)
{
    uint32_t generation = TC_LOAD(entry->generation);
    if (!TC_LOAD(entry->unclaimed) || entry->tid != tid || !tc_entry_stands(entry, generation)
        || (entry->adopted && !tc_thread_is(tid, 0, &entry->identity))
        || !__atomic_exchange_n(&entry->unclaimed, 0, __ATOMIC_ACQ_REL))
        return false;
    if (tc_entry_stands(entry, generation)) {
        __atomic_sub_fetch(&table.unclaimed, 1, __ATOMIC_ACQ_REL);
        return true;
    }
    TC_STORE(entry->unclaimed, 1);
    return false;
}

struct entry *tc_entry_claim(pid_t tid)
{
    uint32_t removals;
    do {
        removals = TC_LOAD(table.removals);
        for (uint32_t link = TC_LOAD(*bucket_of_tid(tid)); link != 0; link = TC_LOAD(entry_at(link - 1)->next_of_tid))
            if (claim(entry_at(link - 1), tid))
                return entry_at(link - 1);
    } while (TC_LOAD(table.removals) != removals);
    return NULL;
}

struct entry *tc_entry_hold(threadclock_thread thread)
{
    uint32_t index = (uint32_t)thread, generation = tc_generation_of(thread);
    if (index >= TC_LOAD(table.used) || (generation & 1) == 0)
        return NULL;
    struct entry *entry = entry_at(index);
    __atomic_add_fetch(&entry->readers, 1, __ATOMIC_SEQ_CST);
    if (tc_entry_stands(entry, generation))
        return entry;
    __atomic_sub_fetch(&entry->readers, 1, __ATOMIC_SEQ_CST);
    return NULL;
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

bool tc_entries_unclaimed(void)
{
    return TC_LOAD(table.unclaimed) != 0;
}
