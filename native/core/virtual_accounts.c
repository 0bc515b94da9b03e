/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of accounts. They are never unmapped, only reused, so a stale handle still leads to an account,
 * whose serial shows that it is another one.
 */
#include "virtual_accounts.h"

#include <stddef.h>
#include <string.h>

#include "lock.h"

/*
 * A handle consists of the account's serial and index; the word has the serial in the same bits. A free
 * account has serial 0. Serials repeat after 2^36 threads, and a handle that old belongs to a thread that has
 * neither been mounted nor read since accounting was switched off.
 */
enum { SERIAL_SHIFT = 28, CHUNK_ACCOUNTS = TC_ACCOUNTS_CHUNK, CHUNKS = (1 << SERIAL_SHIFT) / CHUNK_ACCOUNTS };
/* Java ids are consecutive, so the lists of accounts by id are equally long. */
enum { IDS = 1 << 16 };
static const uint64_t BUSY = 1, CHANGE = 2, CHANGES = ((UINT64_C(1) << SERIAL_SHIFT) - 1) & ~UINT64_C(1);
static const uint64_t INDEX = (UINT64_C(1) << SERIAL_SHIFT) - 1;

struct chunk {
    struct account accounts[CHUNK_ACCOUNTS];
    uint32_t next_of_id[CHUNK_ACCOUNTS]; /* index + 1 */
};

static struct {
    struct tc_lock lock;
    uint32_t epoch; /* odd: accounts are allowed */
    enum threadclock_freshness clock;
    uint64_t serial;
    uint32_t used; /* accounts ever used: lower indices are valid */
    uint32_t free; /* index + 1 */
    uint32_t count;
    struct tc_pair sums[TC_VIRTUAL_GROUPS];
    uint32_t first_of_id[IDS]; /* index + 1 */
    struct chunk *chunks[CHUNKS];
} table;

static struct account *account_at(uint64_t index)
{
    return &TC_LOAD(table.chunks[index / CHUNK_ACCOUNTS])->accounts[index % CHUNK_ACCOUNTS];
}

static uint32_t *next_of_id(uint32_t index)
{
    return &table.chunks[index / CHUNK_ACCOUNTS]->next_of_id[index % CHUNK_ACCOUNTS];
}

static bool is_of(uint64_t word, tc_virtual handle)
{
    return handle != 0 && (word ^ handle) >> SERIAL_SHIFT == 0;
}

static bool is_present(const struct account *account)
{
    return TC_LOAD(account->epoch) == TC_LOAD(table.epoch);
}

/* Like tc_account_hold, but for an account of any epoch. */
static struct account *hold(tc_virtual handle, uint64_t *word)
{
    if (handle == 0)
        return NULL;
    struct account *account = account_at(handle & INDEX);
    *word = TC_LOAD_RELAXED(account->word);
    bool held = is_of(*word, handle) && !tc_account_is_busy(*word)
                && __atomic_compare_exchange_n(&account->word, word, *word | BUSY, false, __ATOMIC_ACQUIRE,
                                               __ATOMIC_RELAXED);
    return held ? account : NULL;
}

/*
 * Ends the account if tc_virtual_forbid stopped waiting for this holder, which had no CPU. No fence is needed
 * before the load: if it misses the new epoch, forbid still waits, and sees the store.
 */
void tc_account_release(struct account *account, tc_virtual handle, uint64_t word)
{
    TC_STORE(account->word, (word & ~CHANGES) | ((word + CHANGE) & CHANGES));
    if (!is_present(account))
        tc_virtual_end(handle);
}

struct account *tc_account_hold(tc_virtual handle, uint64_t *word)
{
    struct account *account = hold(handle, word);
    if (account == NULL || is_present(account))
        return account;
    tc_account_release(account, handle, *word);
    return NULL;
}

/*
 * The reader is counted before it checks the word. So either the thread that reuses the account sees the
 * reader, or the reader sees that the account has ended.
 */
struct account *tc_account_watch(tc_virtual handle)
{
    struct account *account = account_at(handle & INDEX);
    __atomic_add_fetch(&account->readers, 1, __ATOMIC_SEQ_CST);
    return account;
}

void tc_account_leave(struct account *account)
{
    __atomic_sub_fetch(&account->readers, 1, __ATOMIC_RELEASE);
}

uint64_t tc_account_word(const struct account *account, tc_virtual handle)
{
    uint64_t word = __atomic_load_n(&account->word, __ATOMIC_SEQ_CST); /* after the count of readers */
    return is_of(word, handle) && is_present(account) ? word : 0;
}

enum threadclock_freshness tc_virtual_clock(void)
{
    return __atomic_load_n(&table.clock, __ATOMIC_RELAXED);
}

/* A free account; null if there is none, or the first one still has readers. */
static struct account *take_free(uint32_t *index)
{
    if (table.free == 0 || __atomic_load_n(&account_at(table.free - 1)->readers, __ATOMIC_SEQ_CST) != 0)
        return NULL;
    *index = table.free - 1;
    struct account *account = account_at(*index);
    table.free = account->next_free;
    return account;
}

static struct account *take_new(uint32_t *index)
{
    struct chunk **chunk = &table.chunks[table.used / CHUNK_ACCOUNTS];
    if (table.used == CHUNKS * CHUNK_ACCOUNTS)
        return NULL;
    if (*chunk == NULL) {
        struct chunk *made = tc_map(sizeof *made);
        if (made == NULL)
            return NULL;
        TC_STORE(*chunk, made);
    }
    *index = table.used++;
    return account_at(*index);
}

/*
 * The id's account, or 0. It becomes the first in its list, where tc_account_hold_of looks. Needs the lock.
 */
static tc_virtual find(uint64_t id)
{
    uint32_t *first = &table.first_of_id[id % IDS];
    for (uint32_t *link = first; *link != 0; link = next_of_id(*link - 1)) {
        uint32_t at = *link;
        const struct account *account = account_at(at - 1);
        if (account->id != id || !is_present(account))
            continue;
        if (link != first) {
            *link = *next_of_id(at - 1);
            *next_of_id(at - 1) = *first;
            TC_STORE(*first, at);
        }
        return (TC_LOAD(account->word) & ~INDEX) | (at - 1);
    }
    return 0;
}

tc_virtual tc_virtual_begin(uint64_t id, uint32_t group, bool whole, uint32_t epoch)
{
    uint32_t index;
    tc_lock(&table.lock);
    bool allowed = epoch != 0 && tc_virtual_epoch() == epoch;
    tc_virtual handle = allowed ? find(id) : 0;
    bool begins = allowed && handle == 0;
    struct account *account = begins ? take_free(&index) : NULL;
    if (account == NULL && begins)
        account = take_new(&index);
    if (account != NULL) {
        account->shown = (struct tc_slot){0};
        TC_STORE(account->id, id);
        account->group = (uint8_t)group;
        account->counted = (struct tc_pair){0, 0};
        TC_STORE(account->epoch, epoch);
        TC_STORE(account->user_ns, 0);
        TC_STORE(account->system_ns, 0);
        TC_STORE(account->carrier, 0);
        TC_STORE(account->whole, whole);
        if (++table.serial >> (64 - SERIAL_SHIFT) != 0)
            table.serial = 1;
        handle = table.serial << SERIAL_SHIFT | index;
        TC_STORE(account->word, table.serial << SERIAL_SHIFT);
        *next_of_id(index) = table.first_of_id[id % IDS];
        TC_STORE(table.first_of_id[id % IDS], index + 1);
        TC_STORE(table.count, table.count + 1);
    }
    tc_unlock(&table.lock);
    return handle;
}

tc_virtual tc_virtual_of(uint64_t id)
{
    tc_lock(&table.lock);
    tc_virtual handle = find(id);
    tc_unlock(&table.lock);
    return handle;
}

/*
 * Without a lock, the first of the list may be freed at any moment, and reused: if the word is then still the
 * same, the id between the two looks at it was that of this account.
 */
struct account *tc_account_hold_of(uint64_t id, tc_virtual *handle, uint64_t *word)
{
    uint32_t at = TC_LOAD(table.first_of_id[id % IDS]);
    if (at == 0)
        return NULL;
    const struct account *account = account_at(at - 1);
    uint64_t seen = TC_LOAD(account->word);
    *handle = (seen & ~INDEX) | (at - 1);
    if (seen >> SERIAL_SHIFT != 0 && TC_LOAD_RELAXED(account->id) == id) {
        struct account *held = tc_account_hold(*handle, word);
        if (held != NULL)
            return held;
    }
    *handle = tc_virtual_of(id);
    return tc_account_hold(*handle, word);
}

/*
 * Adds what is new in the account to its group's sum; needs the lock. What was counted before may include an
 * estimate of a slice that turned out shorter, or was divided differently: then user and system follow the
 * rule of tc_slot_merge.
 */
static void count(struct account *account, uint64_t user_ns, uint64_t system_ns)
{
    struct tc_pair *counted = &account->counted, *sum = &table.sums[account->group];
    if (user_ns + system_ns <= counted->sum_ns)
        return;
    uint64_t step_ns = user_ns + system_ns - counted->sum_ns;
    uint64_t user_step_ns = user_ns > counted->user_ns ? user_ns - counted->user_ns : 0;
    user_step_ns = user_step_ns < step_ns ? user_step_ns : step_ns;
    counted->sum_ns += step_ns;
    counted->user_ns += user_step_ns;
    sum->sum_ns += step_ns;
    sum->user_ns += user_step_ns;
}

/* Needs the lock, and the account held. It is not released, because no handle leads to it any more. */
static void free_account(struct account *account, uint32_t index)
{
    count(account, account->user_ns, account->system_ns);
    uint32_t *link = &table.first_of_id[account->id % IDS];
    while (*link != index + 1)
        link = next_of_id(*link - 1);
    TC_STORE(*link, *next_of_id(index));
    __atomic_store_n(&account->word, 0, __ATOMIC_SEQ_CST);
    TC_STORE(account->next_free, table.free);
    table.free = index + 1;
    TC_STORE(table.count, table.count - 1);
}

/* Needs the lock. */
static void end(tc_virtual handle)
{
    uint64_t word;
    struct account *account = hold(handle, &word);
    if (account != NULL)
        free_account(account, (uint32_t)(handle & INDEX));
}

void tc_virtual_end(tc_virtual handle)
{
    tc_lock(&table.lock);
    end(handle);
    tc_unlock(&table.lock);
}

void tc_virtual_end_of(uint64_t id)
{
    tc_lock(&table.lock);
    end(find(id));
    tc_unlock(&table.lock);
}

uint32_t tc_virtual_epoch(void)
{
    uint32_t epoch = __atomic_load_n(&table.epoch, __ATOMIC_ACQUIRE);
    return (epoch & 1) != 0 ? epoch : 0;
}

uint32_t tc_virtual_allow(enum threadclock_freshness clock)
{
    tc_lock(&table.lock);
    TC_STORE(table.clock, clock);
    if ((table.epoch & 1) == 0)
        TC_STORE(table.epoch, table.epoch + 1);
    uint32_t epoch = table.epoch;
    tc_unlock(&table.lock);
    return epoch;
}

/*
 * Ends an account of a past epoch. Needs the lock, but releases it while it waits for a carrier that holds
 * the account. A carrier that holds it for longer ends it in tc_account_release.
 */
static void end_past(uint32_t index)
{
    enum { PATIENCE = 15000 }; /* a second: its carrier may have no CPU, or be gone after a fork */
    struct account *account = account_at(index);
    for (int tries = 0; tries < PATIENCE; tries++) {
        uint64_t word = TC_LOAD_RELAXED(account->word);
        if (word == 0 || is_present(account))
            return;
        if (hold((word & ~INDEX) | index, &word) != NULL) {
            free_account(account, index);
            return;
        }
        tc_unlock(&table.lock);
        tc_pause();
        tc_lock(&table.lock);
    }
}

void tc_virtual_forbid(void)
{
    tc_lock(&table.lock);
    if ((table.epoch & 1) != 0)
        TC_STORE(table.epoch, table.epoch + 1);
    for (uint32_t index = 0; index < table.used; index++) {
        end_past(index);
        if ((index + 1) % CHUNK_ACCOUNTS == 0) {
            tc_unlock(&table.lock);
            tc_pause(); /* threads that start and end wait for the lock */
            tc_lock(&table.lock);
        }
    }
    tc_unlock(&table.lock);
}

uint32_t tc_virtual_count(void)
{
    return TC_LOAD_RELAXED(table.count);
}

/* Counts the account unless its thread is mounted, or is being switched (false); needs the lock. */
static bool count_if_at_rest(struct account *account, uint64_t word, uint32_t *mounted)
{
    uint64_t user_ns = TC_LOAD(account->user_ns), system_ns = TC_LOAD(account->system_ns);
    bool carried = TC_LOAD(account->carrier) != 0;
    *mounted += carried;
    if (carried || tc_account_is_busy(word) || TC_LOAD(account->word) != word)
        return false;
    count(account, user_ns, system_ns);
    return true;
}

bool tc_accounts_count(uint32_t *next, uint32_t threads[TC_VIRTUAL_GROUPS],
                       uint32_t mounted[TC_VIRTUAL_GROUPS], tc_virtual moving[TC_ACCOUNTS_CHUNK],
                       uint32_t *moving_count)
{
    *moving_count = 0;
    tc_lock(&table.lock);
    uint32_t end = *next + CHUNK_ACCOUNTS < table.used ? *next + CHUNK_ACCOUNTS : table.used;
    for (; *next < end; ++*next) {
        struct account *account = account_at(*next);
        uint64_t word = TC_LOAD(account->word);
        if (word == 0 || !is_present(account))
            continue;
        threads[account->group]++;
        if (!count_if_at_rest(account, word, &mounted[account->group]))
            moving[(*moving_count)++] = (word & ~INDEX) | *next;
    }
    bool more = end < table.used;
    tc_unlock(&table.lock);
    return more;
}

void tc_account_count(tc_virtual handle, const struct threadclock_times *times)
{
    tc_lock(&table.lock);
    struct account *account = account_at(handle & INDEX);
    if (is_of(TC_LOAD(account->word), handle))
        count(account, (uint64_t)times->user_ns, (uint64_t)times->system_ns);
    tc_unlock(&table.lock);
}

void tc_accounts_sums(struct tc_pair sums[TC_VIRTUAL_GROUPS])
{
    tc_lock(&table.lock);
    memcpy(sums, table.sums, sizeof table.sums);
    tc_unlock(&table.lock);
}
