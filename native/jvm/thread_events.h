/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of Java threads: one bounded list, in which each reader has a place of its own. */
#ifndef TC_THREAD_EVENTS_H
#define TC_THREAD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "roster.h"

enum { THREAD_EVENTS_MAX = 65536 };

struct thread_event {
    uint64_t opened; /* thread_events_opened() when it happened */
    struct tc_ended thread;
};

/* Initially zero, and never freed. */
struct thread_events_reader {
    bool open;
    uint64_t opened;
    struct listed_event *next; /* null: none */
    struct thread_events_reader *other;
};

/* The reader gets the ends from now on; none that happened before, even if it is added later. */
TC_INTERNAL void thread_events_open(struct thread_events_reader *reader);
TC_INTERNAL void thread_events_close(struct thread_events_reader *reader);

/* How often a reader has opened so far: no clock, because one begins again where a process is restored. */
TC_INTERNAL uint64_t thread_events_opened(void);

/* True if there is an open reader. */
TC_INTERNAL bool thread_events_are_read(void);

/* True if an event is to be made: a reader gets it, and there is room. */
TC_INTERNAL bool thread_events_are_wanted(void);

/*
 * Adds an event, without a lock. Drops it if there is no memory, or no room: if THREAD_EVENTS_MAX have been
 * added since anyone read.
 */
TC_INTERNAL void thread_events_add(const struct thread_event *event);

/*
 * Takes the reader's next event, in the order in which they were added; false: there is none, or the reader
 * is closed. A reader that is THREAD_EVENTS_MAX behind loses the oldest, so that it neither fills the memory
 * nor hinders another.
 */
TC_INTERNAL bool thread_events_take(struct thread_events_reader *reader, struct thread_event *event);

/* True if events wait for the reader. */
TC_INTERNAL bool thread_events_wait(const struct thread_events_reader *reader);

#endif
