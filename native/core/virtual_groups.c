/* SPDX-License-Identifier: Apache-2.0 */
/* The names of groups, in a table that only grows; the pass over all accounts. */
#include <stddef.h>
#include <string.h>

#include "lock.h"
#include "virtual_threads.h"

static struct {
    struct tc_lock lock;
    uint32_t count; /* entries below this are complete */
    uint64_t hashes[TC_VIRTUAL_GROUPS];
    char names[TC_VIRTUAL_GROUPS][TC_GROUP_NAME_BYTES];
} groups = {.count = 1, .names = {"(other virtual threads)"}};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of other alphabets count as letters. */
static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
           || ((unsigned char)c & 0x80) != 0;
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_between(const char *name, size_t at, size_t end, const char *before, const char *after)
{
    return at == strlen(before) && strncmp(name, before, at) == 0
           && strncmp(name + end, after, strlen(after)) == 0;
}

/* True for the digit in "G1 Main Marker" and the like, and for the number of a pool of the JDK. */
static bool belongs_to_name(const char *name, size_t at, size_t end)
{
    return (at > 0 && name[at - 1] >= 'A' && name[at - 1] <= 'Z' && (at == 1 || !is_word(name[at - 2]))
            && end == at + 1 && name[end] == ' ')
           || is_between(name, at, end, "pool-", "-thread-")
           || is_between(name, at, end, "ForkJoinPool-", "-worker-");
}

/* The end of a UUID or a run of seven hexadecimal digits or more, one of them 0 to 9; or where it begins. */
static size_t end_of_id(const char *name, size_t at)
{
    static const char uuid[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
    size_t end = at, of_uuid = 0;
    bool has_digit = false;
    if (at > 0 && is_word(name[at - 1]))
        return at;
    while (uuid[of_uuid] != '\0'
           && (uuid[of_uuid] == 'h' ? is_hex(name[at + of_uuid]) : name[at + of_uuid] == '-'))
        of_uuid++;
    if (uuid[of_uuid] == '\0' && !is_word(name[at + of_uuid]))
        return at + of_uuid;
    for (; is_hex(name[end]); end++)
        has_digit |= is_digit(name[end]);
    return end >= at + 7 && has_digit && !is_word(name[end]) ? end : at;
}

/* The end of what varies among the threads of a group, an id or a number; or where it begins: nothing. */
static size_t end_of_variable(const char *name, size_t at)
{
    size_t end = end_of_id(name, at);
    if (end == at && (at == 0 || !is_digit(name[at - 1]))) {
        while (is_digit(name[end]))
            end++;
        if (belongs_to_name(name, at, end))
            end = at;
    }
    return end;
}

uint64_t tc_pool_name(const char *name, char *group, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    size_t length = 0, at = 0;
    while (name[at] != '\0' && length < size - 1) {
        size_t end = end_of_variable(name, at);
        group[length] = end > at ? '*' : name[at];
        at = end > at ? end : at + 1;
        hash = (hash ^ (unsigned char)group[length++]) * UINT64_C(1099511628211);
    }
    if (((unsigned char)name[at] & 0xc0) == 0x80) { /* truncated within a character */
        while (length > 0 && ((unsigned char)group[length - 1] & 0xc0) == 0x80)
            length--;
        length -= length > 0;
    }
    group[length] = '\0';
    return hash;
}

/* The number of the group with this name; 0: there is none. */
static uint32_t find(uint64_t hash, const char *group)
{
    uint32_t count = TC_LOAD(groups.count);
    for (uint32_t i = 1; i < count; i++)
        if (groups.hashes[i] == hash && strcmp(groups.names[i], group) == 0)
            return i;
    return 0;
}

uint32_t tc_group_of(const char *name)
{
    char group[TC_GROUP_NAME_BYTES];
    uint64_t hash = tc_pool_name(name, group, sizeof group);
    uint32_t found = find(hash, group);
    if (found != 0 || TC_LOAD(groups.count) == TC_VIRTUAL_GROUPS)
        return found;
    tc_lock(&groups.lock);
    found = find(hash, group);
    if (found == 0 && groups.count < TC_VIRTUAL_GROUPS) {
        found = groups.count;
        memcpy(groups.names[found], group, sizeof group);
        groups.hashes[found] = hash;
        TC_STORE(groups.count, found + 1);
    }
    tc_unlock(&groups.lock);
    return found;
}

/* Holds no lock, because it waits for a carrier that was interrupted in the middle of a switch. */
static void count_moving(const tc_virtual *moving, uint32_t count)
{
    struct tc_virtual_times times;
    for (uint32_t i = 0; i < count; i++)
        if (tc_virtual_times(moving[i], &times) == 0)
            tc_account_count(moving[i], &times.times);
}

uint32_t tc_virtual_groups(struct tc_virtual_group result[TC_VIRTUAL_GROUPS])
{
    uint32_t threads[TC_VIRTUAL_GROUPS] = {0}, mounted[TC_VIRTUAL_GROUPS] = {0};
    struct tc_pair sums[TC_VIRTUAL_GROUPS];
    tc_virtual moving[TC_ACCOUNTS_CHUNK];
    uint32_t moving_count, next = 0, used = 0;
    bool more;
    do {
        more = tc_accounts_count(&next, threads, mounted, moving, &moving_count);
        count_moving(moving, moving_count);
        if (more)
            tc_pause(); /* threads that start and end wait for the accounts' lock */
    } while (more);
    tc_accounts_sums(sums);
    for (uint32_t i = 0; i < TC_LOAD(groups.count); i++)
        if (threads[i] != 0 || sums[i].sum_ns != 0)
            result[used++] = (struct tc_virtual_group){
                groups.names[i], threads[i], mounted[i],
                {(int64_t)sums[i].user_ns, (int64_t)(sums[i].sum_ns - sums[i].user_ns),
                 (int64_t)sums[i].sum_ns}};
    return used;
}
