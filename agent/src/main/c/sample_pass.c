/* SPDX-License-Identifier: Apache-2.0 */
/* One look at the clocks of all threads, and what has changed since the last. */
#include "sample_pass.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static bool grow(struct sample_pass *pass, size_t count)
{
    size_t capacity = count + count / 8 + 64;
    struct threadclock_thread_row *grown = realloc(pass->rows, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    pass->rows = grown;
    pass->capacity = capacity;
    return true;
}

/* All threads into rows. When it began, or -1. */
static int64_t look(struct sample_pass *pass)
{
    for (;;) {
        int64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
        int64_t count = threadclock_all_threads(pass->rows, pass->capacity);
        if (count >= 0 && (size_t)count <= pass->capacity) {
            pass->count = (size_t)count;
            return begin_ns;
        }
        if (count < 0 || !grow(pass, (size_t)count))
            return -1;
    }
}

static bool put_moment(struct sample_message *message, int64_t begin_ns)
{
    struct threadclock_times process;
    if (threadclock_process_times(&process) != 0)
        return false;
    sample_put_kind(message, SAMPLE_MOMENT);
    sample_put_u64(message, (uint64_t)(clock_ns(CLOCK_REALTIME) / 1000000));
    sample_put_u64(message, (uint64_t)begin_ns);
    sample_put_u64(message, (uint64_t)clock_ns(CLOCK_MONOTONIC));
    sample_put_times(message, &process);
    return true;
}

static void put_thread(struct sample_message *message, const struct threadclock_thread_row *row)
{
    sample_put_kind(message, SAMPLE_THREAD);
    sample_put_u64(message, row->serial);
    sample_put_u32(message, (uint32_t)row->tid);
    sample_put_times(message, &row->times);
    sample_put_text(message, row->name);
}

static void put_change(struct sample_message *message, const struct threadclock_thread_row *row,
                       const struct threadclock_thread_row *last)
{
    if (memcmp(row->name, last->name, sizeof row->name) != 0) {
        put_thread(message, row);
    } else if (memcmp(&row->times, &last->times, sizeof row->times) != 0) {
        sample_put_kind(message, SAMPLE_TIMES);
        sample_put_u64(message, row->serial);
        sample_put_times(message, &row->times);
    }
}

static void put_gone(struct sample_message *message, const struct threadclock_thread_row *last)
{
    sample_put_kind(message, SAMPLE_GONE);
    sample_put_u64(message, last->serial);
}

/* Both lists have their common rows in the same order, and serials only grow: what is above all of the last is new. */
static void put_changes(struct sample_message *message, const struct sample_pass *pass)
{
    uint64_t newest = 0;
    for (size_t i = 0; i < pass->last_count; i++)
        newest = pass->last[i].serial > newest ? pass->last[i].serial : newest;
    size_t at = 0;
    for (size_t i = 0; i < pass->count; i++) {
        const struct threadclock_thread_row *row = &pass->rows[i];
        if (row->serial > newest) {
            put_thread(message, row);
            continue;
        }
        while (at < pass->last_count && pass->last[at].serial != row->serial)
            put_gone(message, &pass->last[at++]);
        if (at < pass->last_count)
            put_change(message, row, &pass->last[at++]);
    }
    while (at < pass->last_count)
        put_gone(message, &pass->last[at++]);
}

/* This pass is the last of the next. */
static void turn(struct sample_pass *pass)
{
    struct sample_pass turned = {.rows = pass->last,
                                 .last = pass->rows,
                                 .last_count = pass->count,
                                 .capacity = pass->last_capacity,
                                 .last_capacity = pass->capacity};
    *pass = turned;
}

bool sample_pass_put(struct sample_message *message, struct sample_pass *pass)
{
    int64_t begin_ns = look(pass);
    if (begin_ns < 0 || !put_moment(message, begin_ns))
        return false;
    put_changes(message, pass);
    turn(pass);
    return true;
}

void sample_pass_free(struct sample_pass *pass)
{
    free(pass->rows);
    free(pass->last);
    *pass = (struct sample_pass){0};
}
