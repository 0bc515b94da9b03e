/* SPDX-License-Identifier: Apache-2.0 */
/* Full and partial passes over the threads' clocks, and the records that follow from them. */
#include "sample_pass.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proc_stat.h"

enum { UNREAD_MAX_NS = 200000, PASSES_TO_WAIT = 4 };

static int64_t between(int64_t least, int64_t ns, int64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
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

/* Reads all threads into rows. */
static bool look(struct sample_pass *pass)
{
    for (;;) {
        int64_t count = threadclock_all_threads(pass->rows, pass->capacity);
        if (count >= 0 && (size_t)count <= pass->capacity) {
            pass->count = (size_t)count;
            return true;
        }
        if (count < 0 || !grow(pass, (size_t)count))
            return false;
    }
}

static void put_moment(struct sample_message *message, const struct sample_pass *pass)
{
    sample_put_kind(message, SAMPLE_MOMENT);
    sample_put_u64(message, (uint64_t)(threadclock_clock_ns(CLOCK_REALTIME) / 1000000));
    sample_put_u64(message, (uint64_t)threadclock_clock_ns(CLOCK_MONOTONIC));
    sample_put_times(message, &pass->process);
}

static void put_use(struct sample_message *message, const struct threadclock_thread_row *row)
{
    sample_put_times(message, &row->times);
    sample_put_u64(message, (uint64_t)tc_run_queue_waited_ns(row->tid, row->times.total_ns));
}

static void put_thread(struct sample_message *message, const struct threadclock_thread_row *row)
{
    sample_put_kind(message, SAMPLE_THREAD);
    sample_put_u64(message, row->serial);
    sample_put_u32(message, (uint32_t)row->tid);
    put_use(message, row);
    sample_put_text(message, row->name);
}

static void put_times(struct sample_message *message, const struct threadclock_thread_row *row)
{
    sample_put_kind(message, SAMPLE_TIMES);
    sample_put_u64(message, row->serial);
    put_use(message, row);
}

/* The thread is read once more, so that others_ns has little of what it has used since the pass. */
static void note_busy(struct sample_pass *pass, struct threadclock_thread_row *row)
{
    struct threadclock_times times;
    if (pass->busy_count < SAMPLE_BUSY_MAX) {
        pass->busy[pass->busy_count] = (uint32_t)(row - pass->rows);
        if (threadclock_tid_times(row->tid, &times) == 0 && times.total_ns >= row->times.total_ns)
            row->times = times;
    }
    pass->busy_count++;
}

/* What the thread has used since it was sent last, or ever. */
static void count_use(struct sample_pass *pass, const struct threadclock_thread_row *row, int64_t last_ns)
{
    pass->used_ns += between(0, row->times.total_ns - last_ns, INT64_MAX);
}

static void put_change(struct sample_message *message, struct sample_pass *pass,
                       struct threadclock_thread_row *row, const struct threadclock_thread_row *last)
{
    bool ran = memcmp(&row->times, &last->times, sizeof row->times) != 0;
    if (ran)
        note_busy(pass, row);
    count_use(pass, row, last->times.total_ns);
    if (memcmp(row->name, last->name, sizeof row->name) != 0)
        put_thread(message, row);
    else if (ran)
        put_times(message, row);
}

static void put_gone(struct sample_message *message, const struct threadclock_thread_row *last)
{
    sample_put_kind(message, SAMPLE_GONE);
    sample_put_u64(message, last->serial);
}

/*
 * Both lists have common rows in the same order, and serials only grow: one above all the last ones is new.
 */
static void put_changes(struct sample_message *message, struct sample_pass *pass)
{
    uint64_t newest = 0;
    pass->busy_count = 0;
    pass->used_ns = 0;
    for (size_t i = 0; i < pass->last_count; i++)
        newest = pass->last[i].serial > newest ? pass->last[i].serial : newest;
    size_t at = 0;
    for (size_t i = 0; i < pass->count; i++) {
        struct threadclock_thread_row *row = &pass->rows[i];
        if (row->serial > newest) {
            note_busy(pass, row);
            count_use(pass, row, 0);
            pass->wait = pass->wait > 0 ? pass->wait : 1; /* its name may not be set yet */
            put_thread(message, row);
            continue;
        }
        while (at < pass->last_count && pass->last[at].serial != row->serial)
            put_gone(message, &pass->last[at++]);
        if (at < pass->last_count)
            put_change(message, pass, row, &pass->last[at++]);
    }
    while (at < pass->last_count)
        put_gone(message, &pass->last[at++]);
}

/* Makes this pass the last one. */
static void turn(struct sample_pass *pass)
{
    struct sample_pass turned = *pass;
    turned.rows = pass->last;
    turned.last = pass->rows;
    turned.last_count = pass->count;
    turned.capacity = pass->last_capacity;
    turned.last_capacity = pass->capacity;
    *pass = turned;
}

/*
 * The process's times after a pass: what it had used before the pass, or the last ones and what its threads
 * have used since, whichever is more; at most what it has used after the pass. So a thread that ran during
 * the pass, perhaps because this one was preempted, makes no time that no thread has: the reader would take
 * it for that of ended threads. Ended threads may be late by what the others used during a pass. Neither user
 * nor system decreases: both grow by their share of the step.
 */
static void count_process(struct sample_pass *pass, int64_t before_ns, const struct threadclock_times *after)
{
    struct threadclock_times *process = &pass->process;
    int64_t least_ns = before_ns - process->total_ns;
    int64_t step_ns = between(0, least_ns > pass->used_ns ? least_ns : pass->used_ns,
                              between(0, after->total_ns - process->total_ns, INT64_MAX));
    int64_t user_ns = between(0, after->user_ns - process->user_ns, step_ns);
    process->user_ns += user_ns;
    process->system_ns += step_ns - user_ns;
    process->total_ns += step_ns;
}

static bool put_all(struct sample_message *message, struct sample_pass *pass)
{
    struct threadclock_times after;
    int64_t before_ns = threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (before_ns < 0 || !look(pass))
        return false;
    pass->others_ns = threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    put_changes(message, pass);
    if (pass->others_ns < 0 || threadclock_process_times(&after) != 0)
        return false;
    count_process(pass, before_ns, &after);
    for (uint32_t i = 0; i < pass->busy_count && i < SAMPLE_BUSY_MAX; i++)
        pass->others_ns -= pass->rows[pass->busy[i]].times.total_ns;
    put_moment(message, pass);
    turn(pass);
    return true;
}

/* Reads the times of the busy threads. False: a full pass is needed. */
static bool read_busy(const struct sample_pass *pass, struct threadclock_times times[SAMPLE_BUSY_MAX])
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < pass->busy_count; i++) {
        const struct threadclock_thread_row *row = &pass->last[pass->busy[i]];
        if (threadclock_tid_times(row->tid, &times[i]) != 0 || times[i].total_ns < row->times.total_ns)
            return false;
        sum_ns += times[i].total_ns;
    }
    int64_t process_ns = threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    return process_ns >= 0 && process_ns - sum_ns - pass->others_ns <= UNREAD_MAX_NS;
}

/* False: nothing was added. */
static bool put_busy(struct sample_message *message, struct sample_pass *pass)
{
    struct threadclock_times times[SAMPLE_BUSY_MAX];
    if (pass->busy_count == 0 || pass->busy_count > SAMPLE_BUSY_MAX || !read_busy(pass, times))
        return false;
    for (uint32_t i = 0; i < pass->busy_count; i++) {
        struct threadclock_thread_row *row = &pass->last[pass->busy[i]];
        if (memcmp(&times[i], &row->times, sizeof times[i]) == 0)
            continue;
        pass->process.user_ns += times[i].user_ns - row->times.user_ns;
        pass->process.system_ns += times[i].system_ns - row->times.system_ns;
        pass->process.total_ns += times[i].total_ns - row->times.total_ns;
        row->times = times[i];
        put_times(message, row);
    }
    put_moment(message, pass);
    return true;
}

bool sample_pass_put(struct sample_message *message, struct sample_pass *pass, bool all)
{
    if (!all && pass->wait == 0) {
        if (put_busy(message, pass))
            return true;
        pass->wait = PASSES_TO_WAIT;
    } else if (pass->wait > 0) {
        pass->wait--;
    }
    return put_all(message, pass);
}

void sample_pass_free(struct sample_pass *pass)
{
    free(pass->rows);
    free(pass->last);
    *pass = (struct sample_pass){0};
}
