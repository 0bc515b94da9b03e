/* SPDX-License-Identifier: Apache-2.0 */
/* Threads push their events on a stack; readers move it to a list, from which each takes at its own pace. */
#include "thread_events.h"

#include <stdlib.h>
#include <string.h>

#include "lock.h"
#include "slot.h"

struct listed_event {
    struct listed_event *next;
    struct thread_event event; /* only as far as the end of its name */
};

static struct {
    uint32_t reader_count;
    uint64_t opened;
    struct listed_event *recent; /* the last one added */
    uint32_t recent_count;
    struct tc_lock lock; /* for the following */
    struct listed_event *first, *last;
    uint32_t count;
    struct thread_events_reader *readers;
} all;

static size_t used_bytes(const struct thread_event *event)
{
    return offsetof(struct thread_event, thread.name) + strlen(event->thread.name) + 1;
}

static bool has_room(void)
{
    return __atomic_load_n(&all.recent_count, __ATOMIC_RELAXED) < THREAD_EVENTS_MAX;
}

uint64_t thread_events_opened(void)
{
    return TC_LOAD(all.opened);
}

bool thread_events_are_read(void)
{
    return __atomic_load_n(&all.reader_count, __ATOMIC_RELAXED) > 0;
}

bool thread_events_are_wanted(void)
{
    return thread_events_are_read() && has_room();
}

void thread_events_add(const struct thread_event *event)
{
    size_t size = used_bytes(event);
    struct listed_event *added = has_room() ? malloc(offsetof(struct listed_event, event) + size) : NULL;
    if (added == NULL)
        return;
    memcpy(&added->event, event, size);
    __atomic_fetch_add(&all.recent_count, 1, __ATOMIC_RELAXED);
    added->next = __atomic_load_n(&all.recent, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all.recent, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

/* Readers that are at the first event go on to the second. */
static void drop_first(void)
{
    struct listed_event *first = all.first;
    for (struct thread_events_reader *reader = all.readers; reader != NULL; reader = reader->other)
        if (reader->next == first)
            reader->next = first->next;
    all.first = first->next;
    all.count--;
    free(first);
}

static bool is_next_of_any(const struct listed_event *event)
{
    for (struct thread_events_reader *reader = all.readers; reader != NULL; reader = reader->other)
        if (reader->next == event)
            return true;
    return false;
}

static void drop_read(void)
{
    while (all.first != NULL && !is_next_of_any(all.first))
        drop_first();
}

/* Those of the stack, in the order in which they were added; *last: the last of them. */
static struct listed_event *take_recent(struct listed_event **last)
{
    struct listed_event *first = NULL;
    struct listed_event *event = *last = __atomic_exchange_n(&all.recent, NULL, __ATOMIC_ACQUIRE);
    uint32_t count = 0;
    for (struct listed_event *earlier; event != NULL; event = earlier, count++) {
        earlier = event->next;
        event->next = first;
        first = event;
    }
    __atomic_fetch_sub(&all.recent_count, count, __ATOMIC_RELAXED);
    all.count += count;
    return first;
}

/* Every reader that has read all so far gets the first of the recent ones next. */
static void list_recent(void)
{
    struct listed_event *last, *first = take_recent(&last);
    if (first == NULL)
        return;
    for (struct thread_events_reader *reader = all.readers; reader != NULL; reader = reader->other)
        if (reader->next == NULL)
            reader->next = first;
    if (all.first == NULL)
        all.first = first;
    else
        all.last->next = first;
    all.last = last;
    while (all.count > THREAD_EVENTS_MAX)
        drop_first();
}

void thread_events_open(struct thread_events_reader *reader)
{
    tc_lock(&all.lock);
    if (!reader->open) {
        list_recent();
        reader->opened = all.opened + 1;
        TC_STORE(all.opened, reader->opened);
        reader->next = NULL;
        reader->other = all.readers;
        all.readers = reader;
        TC_STORE(reader->open, true);
        __atomic_fetch_add(&all.reader_count, 1, __ATOMIC_RELAXED);
    }
    drop_read();
    tc_unlock(&all.lock);
}

void thread_events_close(struct thread_events_reader *reader)
{
    tc_lock(&all.lock);
    if (reader->open) {
        struct thread_events_reader **at = &all.readers;
        while (*at != reader)
            at = &(*at)->other;
        *at = reader->other;
        __atomic_fetch_sub(&all.reader_count, 1, __ATOMIC_RELAXED);
        reader->next = NULL;
        TC_STORE(reader->open, false);
    }
    list_recent();
    drop_read();
    tc_unlock(&all.lock);
}

bool thread_events_take(struct thread_events_reader *reader, struct thread_event *event)
{
    bool taken = false;
    tc_lock(&all.lock);
    if (reader->open && reader->next == NULL)
        list_recent();
    while (!taken && reader->next != NULL) {
        const struct thread_event *next = &reader->next->event;
        taken = next->opened >= reader->opened;
        if (taken)
            memcpy(event, next, used_bytes(next));
        reader->next = reader->next->next;
        drop_read();
    }
    tc_unlock(&all.lock);
    return taken;
}

bool thread_events_wait(const struct thread_events_reader *reader)
{
    tc_lock(&all.lock);
    bool wait = reader->open
                && (reader->next != NULL || __atomic_load_n(&all.recent, __ATOMIC_RELAXED) != NULL);
    tc_unlock(&all.lock);
    return wait;
}
