/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over the threads, and which thread a Java thread was that has ended. */
#include "roster.h"

#include <errno.h>
#include <stdlib.h>

enum {
    LATELY = 16, /* passes over all threads */
    PASSES_TO_WAIT = 2,
    FIRST_ROWS = 4096 /* so that the first pass, too, reads most programs' threads once */
};

uint64_t tc_name_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

static bool append(struct tc_threads *list, struct tc_thread *thread)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct tc_thread **grown = realloc(list->threads, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        list->threads = grown;
        list->capacity = capacity;
    }
    list->threads[list->count++] = thread;
    return true;
}

/* Room for this many; it grows. */
static void map_begin(struct tc_thread_map *map, size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    map->count = 0;
    map->entries = calloc(size, sizeof *map->entries);
    map->mask = map->entries != NULL ? size - 1 : 0;
}

static struct tc_thread_entry *map_entry(const struct tc_thread_map *map, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
    while (map->entries[at].key != key && map->entries[at].key != 0)
        at = (at + 1) & map->mask;
    return &map->entries[at];
}

static struct tc_thread *map_get(const struct tc_thread_map *map, uint64_t key)
{
    return map->mask != 0 && key != 0 ? map_entry(map, key)->thread : NULL;
}

static bool map_grow(struct tc_thread_map *map)
{
    struct tc_thread_map grown;
    map_begin(&grown, map->mask + 1);
    if (grown.mask == 0)
        return false;
    for (size_t i = 0; i <= map->mask; i++)
        if (map->entries[i].key != 0)
            *map_entry(&grown, map->entries[i].key) = map->entries[i];
    grown.count = map->count;
    free(map->entries);
    *map = grown;
    return true;
}

/* False: no memory. */
static bool map_put(struct tc_thread_map *map, uint64_t key, struct tc_thread *thread)
{
    if (key == 0)
        return true;
    if (map->mask == 0 || (2 * map->count > map->mask && !map_grow(map)))
        return false;
    struct tc_thread_entry *entry = map_entry(map, key);
    map->count += entry->key == 0;
    *entry = (struct tc_thread_entry){key, thread};
    return true;
}

void tc_roster_begin(struct tc_roster *roster, const struct tc_roster_source *source, size_t thread_bytes,
                     void (*gone)(void *reader, struct tc_thread *thread), void *reader)
{
    roster->source = source;
    roster->thread_bytes = thread_bytes;
    roster->gone = gone;
    roster->reader = reader;
    roster->passes = LATELY;
}

static void free_thread(const struct tc_roster *roster, void *of, struct tc_thread *thread)
{
    if (thread->java.id != 0)
        roster->source->forget(of, &thread->java);
    if (roster->gone != NULL)
        roster->gone(roster->reader, thread);
    free(thread);
}

/*
 * Reads only the threads that ran lately. True: that is enough, because the process's clock, which was read
 * before, shows no more than the threads and the rest, or hardly more. The others together have then used no
 * more than that and what these use during a pass, or since the last tick on other CPUs; it is found when
 * they have used more. If it is not enough, the next passes do not try it.
 */
static bool read_those_that_ran(struct tc_roster *roster, void *of)
{
    if (roster->passes_to_wait > 0 || roster->ran_count > TC_RAN_MAX
        || roster->ran_count > roster->present.count / 2) {
        roster->passes_to_wait -= roster->passes_to_wait > 0;
        return false;
    }
    int64_t process_ns = roster->source->same_threads_ns(of, roster->present.count);
    int64_t known_ns = roster->shown_total_ns + roster->rest.total_ns;
    bool all = process_ns >= roster->process_ns; /* a restored process's clock begins again */
    roster->process_ns = tc_most(process_ns, roster->process_ns);
    for (uint32_t i = 0; all && i < roster->ran_count; i++) {
        const struct tc_thread *thread = roster->ran[i];
        all = roster->source->read_again(of, thread->row);
        known_ns += tc_most(0, thread->row->times.total_ns - thread->used.total_ns);
    }
    bool enough = all && process_ns <= known_ns + roster->late_ns;
    roster->passes_to_wait = roster->ran_count == 0 || process_ns < 0 || enough ? 0 : PASSES_TO_WAIT;
    return enough;
}

/* Reads the threads into the rows. Their number, or a negative errno. */
static int64_t read_rows(struct tc_roster *roster, void *of)
{
    if (roster->rows == NULL && (roster->rows = malloc(FIRST_ROWS * sizeof *roster->rows)) != NULL)
        roster->rows_capacity = FIRST_ROWS;
    for (;;) {
        int64_t count = roster->source->threads(of, roster->rows, roster->rows_capacity);
        if (count < 0 || (size_t)count <= roster->rows_capacity)
            return count;
        size_t capacity = (size_t)count + (size_t)count / 4 + 16;
        struct threadclock_thread_row *grown = realloc(roster->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return -ENOMEM;
        roster->rows = grown;
        roster->rows_capacity = capacity;
    }
}

static bool are_the_same(const struct tc_threads *list, const struct threadclock_thread_row *rows,
                         size_t count)
{
    bool same = list->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = list->threads[i]->serial == rows[i].serial;
    return same;
}

/*
 * Fills present with the threads of the rows; those of the last pass are in before. False, and nothing has
 * changed: no memory.
 */
static bool align(struct tc_roster *roster, size_t count)
{
    struct tc_threads last = roster->present;
    roster->before.count = 0;
    for (size_t i = 0; i < last.count; i++)
        if (!append(&roster->before, last.threads[i]))
            return false;
    if (are_the_same(&last, roster->rows, count))
        return true;
    struct tc_thread_map by_serial;
    struct tc_threads aligned = {.count = 0};
    map_begin(&by_serial, last.count);
    bool enough = by_serial.mask != 0;
    for (size_t i = 0; enough && i < last.count; i++)
        enough = map_put(&by_serial, last.threads[i]->serial, last.threads[i]);
    for (size_t i = 0; enough && i < count; i++) {
        struct tc_thread *thread = map_get(&by_serial, roster->rows[i].serial);
        bool is_new = thread == NULL;
        if (is_new && (thread = calloc(1, roster->thread_bytes)) != NULL) {
            thread->serial = roster->rows[i].serial;
            thread->tid = roster->rows[i].tid;
            thread->total_at_wait_ns = -1;
        }
        enough = thread != NULL && append(&aligned, thread);
        if (!enough && is_new)
            free(thread);
    }
    for (size_t i = 0; !enough && i < aligned.count; i++)
        if (map_get(&by_serial, aligned.threads[i]->serial) == NULL)
            free(aligned.threads[i]);
    free(by_serial.entries);
    free(enough ? last.threads : aligned.threads);
    if (enough)
        roster->present = aligned;
    return enough;
}

/* Frees the threads of the last pass that are not in this one, and ended ones that no pass has seen. */
static void free_gone(struct tc_roster *roster, void *of)
{
    if (!are_the_same(&roster->before, roster->rows, roster->present.count)) {
        for (size_t i = 0; i < roster->present.count; i++)
            roster->present.threads[i]->tid = -roster->present.threads[i]->tid; /* a mark */
        for (size_t i = 0; i < roster->before.count; i++)
            if (roster->before.threads[i]->tid > 0)
                free_thread(roster, of, roster->before.threads[i]);
        for (size_t i = 0; i < roster->present.count; i++)
            roster->present.threads[i]->tid = -roster->present.threads[i]->tid;
    }
    roster->before.count = 0;
    for (size_t i = 0; i < roster->extra.count; i++)
        free_thread(roster, of, roster->extra.threads[i]);
    roster->extra.count = 0;
}

void tc_roster_raise(struct tc_roster *roster, struct tc_thread *thread, int64_t user_ns, int64_t total_ns)
{
    int64_t user_before_ns = thread->used.user_ns, total_before_ns = thread->used.total_ns;
    tc_counter_raise(&thread->used, user_ns, total_ns);
    roster->shown_user_ns += thread->used.user_ns - user_before_ns;
    roster->shown_total_ns += thread->used.total_ns - total_before_ns;
}

/* What the JVM knows by now of the threads of this pass. */
static void find_java_threads(struct tc_roster *roster, void *of)
{
    for (size_t i = 0; i < roster->present.count; i++) {
        struct tc_thread *thread = roster->present.threads[i];
        struct tc_java java = thread->java;
        if (!roster->source->java(of, thread, &java))
            continue;
        if (java.id != 0 && java.id == thread->ended_id) { /* the JVM still lists it */
            roster->source->forget(of, &java);
            continue;
        }
        if (thread->java.reference != java.reference)
            roster->source->forget(of, &thread->java);
        thread->java = java;
    }
}

/* Lists all threads. 0, or a negative errno: nothing has changed. */
static int list_all(struct tc_roster *roster, void *of)
{
    roster->ran_count = 0; /* the rows are overwritten, also if this fails */
    int64_t count_or_error = read_rows(roster, of);
    if (count_or_error < 0)
        return (int)count_or_error;
    if (!align(roster, (size_t)count_or_error))
        return -ENOMEM;
    roster->passes++;
    for (size_t i = 0; i < roster->present.count; i++) {
        struct tc_thread *thread = roster->present.threads[i];
        thread->row = &roster->rows[i];
        bool is_new = thread->used.total_ns == 0;
        if (!is_new && thread->row->times.total_ns > thread->used.total_ns)
            thread->ran_at = roster->passes;
        if (thread->ran_at + LATELY > roster->passes && roster->ran_count++ < TC_RAN_MAX)
            roster->ran[roster->ran_count - 1] = thread;
    }
    return 0;
}

/*
 * The process's clock is read first, so that the rest never includes what a listed thread uses during the
 * pass. Ended threads are taken after the listing: one that is in neither has not begun.
 */
int tc_roster_pass(struct tc_roster *roster, void *of, bool all)
{
    roster->all = all || !read_those_that_ran(roster, of);
    roster->is_process_known = roster->all && roster->source->process(of, &roster->process) == 0;
    int error = roster->all ? list_all(roster, of) : 0;
    if (error != 0)
        return error;
    for (size_t i = 0; i < tc_roster_count(roster); i++) {
        struct tc_thread *thread = tc_roster_at(roster, i);
        tc_counter_begin(&thread->used);
        tc_roster_raise(roster, thread, thread->row->times.user_ns, thread->row->times.total_ns);
    }
    if (roster->all)
        find_java_threads(roster, of);
    return 0;
}

size_t tc_roster_count(const struct tc_roster *roster)
{
    return roster->all ? roster->present.count : roster->ran_count;
}

struct tc_thread *tc_roster_at(const struct tc_roster *roster, size_t at)
{
    return roster->all ? roster->present.threads[at] : roster->ran[at];
}

int64_t tc_roster_wait(const struct tc_roster *roster, void *of, struct tc_thread *thread)
{
    int64_t total_ns = thread->used.total_ns;
    if (total_ns == thread->total_at_wait_ns)
        return 0; /* it has not run, so none of its waits has ended */
    int64_t waited_ns = roster->source->waited_ns(of, thread->tid, thread->row->times.total_ns);
    if (waited_ns < 0)
        return -1;
    int64_t more_ns = tc_most(0, waited_ns - thread->waited_ns);
    thread->waited_ns += more_ns;
    thread->total_at_wait_ns = total_ns;
    return more_ns;
}

/* False: no memory. */
static bool make_maps(struct tc_roster *roster)
{
    size_t count = roster->before.count + roster->present.count;
    map_begin(&roster->by_id, count);
    map_begin(&roster->by_tid, count);
    map_begin(&roster->attached, roster->present.count);
    bool all = true;
    for (size_t i = 0; i < roster->before.count; i++) {
        struct tc_thread *thread = roster->before.threads[i];
        all &= map_put(&roster->by_id, thread->id_before, thread)
               && map_put(&roster->by_tid, (uint64_t)thread->tid, thread);
    }
    for (size_t i = 0; i < roster->present.count; i++) {
        struct tc_thread *thread = roster->present.threads[i];
        all &= map_put(&roster->by_id, thread->java.id, thread)
               && map_put(thread->java.id == 0 ? &roster->by_tid : &roster->attached, (uint64_t)thread->tid,
                          thread);
    }
    return all;
}

static void free_maps(struct tc_roster *roster)
{
    free(roster->by_id.entries);
    free(roster->by_tid.entries);
    free(roster->attached.entries);
    roster->by_id.entries = roster->by_tid.entries = roster->attached.entries = NULL;
    roster->maps = NO_MAPS;
}

/* A thread that no pass has seen. Null: no memory; its time is then the rest's. */
static struct tc_thread *new_ended(struct tc_roster *roster, const struct tc_ended *ended)
{
    struct tc_thread *thread = calloc(1, roster->thread_bytes);
    if (thread == NULL || !map_put(&roster->by_tid, (uint64_t)ended->tid, thread)) {
        free(thread);
        return NULL;
    }
    thread->tid = ended->tid;
    thread->serial = UINT64_MAX - roster->unseen++;
    if (append(&roster->extra, thread))
        return thread;
    map_put(&roster->by_tid, (uint64_t)ended->tid, NULL);
    free(thread);
    return NULL;
}

/* That of the record, as far as it is known. begun is 0 if nobody read events at its beginning. */
static struct tc_thread *thread_of(const struct tc_roster *roster, const struct tc_ended *ended)
{
    struct tc_thread *thread = map_get(&roster->by_id, ended->id);
    if (thread != NULL)
        return thread;
    thread = map_get(&roster->by_tid, (uint64_t)ended->tid);
    bool is_other = thread != NULL && ended->begun.total_ns != 0 && ended->begun.total_ns < thread->ended_ns;
    return is_other ? NULL : thread;
}

/*
 * A native thread that detaches from the JVM ends for Java each time, with another id and with all that it
 * has used since its start. So a record belongs to the thread with its id, otherwise to the one that had its
 * TID before this pass, has it in this pass and is native, or had it in an earlier record. A Java thread with
 * another id that has the TID now may be the same thread, too, if it has used more by now; then its row has
 * all. One that began with less than an earlier record ended with is another thread, whose TID is the same.
 * Otherwise, where TIDs are reused between two passes, time may be left for the rest, or counts for the new
 * thread with the TID, but none is counted twice. Without memory all of it is left for the rest.
 */
struct tc_thread *tc_roster_ended(struct tc_roster *roster, void *of, struct tc_ended *ended)
{
    while (roster->source->ended(of, ended)) {
        if (roster->maps == NO_MAPS)
            roster->maps = make_maps(roster) ? MAPS : NO_MEMORY_FOR_MAPS;
        if (roster->maps == NO_MEMORY_FOR_MAPS)
            continue;
        struct tc_thread *thread = thread_of(roster, ended);
        const struct tc_thread *now = map_get(&roster->attached, (uint64_t)ended->tid);
        if (thread == NULL && now != NULL && now->used.total_ns >= ended->times.total_ns)
            continue;
        if (thread == NULL)
            thread = new_ended(roster, ended);
        if (thread == NULL)
            continue;
        if (thread->java.id != 0 && thread->java.id <= ended->id) { /* not if it has attached again */
            roster->source->forget(of, &thread->java);
            thread->java = (struct tc_java){.id = 0};
        }
        thread->ended_id = ended->id;
        thread->ended_ns = tc_most(thread->ended_ns, ended->times.total_ns);
        if (thread == now) /* its next record has an id that no pass has seen */
            (void)map_put(&roster->by_tid, (uint64_t)ended->tid, thread);
        return thread;
    }
    free_maps(roster);
    return NULL;
}

/*
 * The process's clock and the threads' are not read at the same moment, so the difference counts only where
 * it exceeds all earlier ones.
 */
void tc_roster_finish(struct tc_roster *roster, void *of)
{
    tc_counter_begin(&roster->rest);
    if (roster->is_process_known)
        tc_counter_raise(&roster->rest, roster->process.user_ns - roster->shown_user_ns,
                         roster->process.total_ns - roster->shown_total_ns);
    for (size_t i = 0; roster->all && i < roster->present.count; i++)
        roster->present.threads[i]->id_before = roster->present.threads[i]->java.id;
    if (roster->all)
        free_gone(roster, of);
}

void tc_roster_end(struct tc_roster *roster, void *of)
{
    for (size_t i = 0; i < roster->present.count; i++)
        free_thread(roster, of, roster->present.threads[i]);
    free(roster->present.threads);
    free(roster->before.threads);
    free(roster->extra.threads);
    free(roster->rows);
}

size_t tc_roster_java_ids(const struct tc_roster *roster, uint64_t *ids, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < roster->present.count; i++) {
        uint64_t id = roster->present.threads[i]->java.id;
        if (id != 0 && count < room)
            ids[count] = id;
        count += id != 0;
    }
    return count;
}
