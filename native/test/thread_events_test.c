/* SPDX-License-Identifier: Apache-2.0 */
/* The list of ends: what each reader gets, in which order, and what it loses when it is late. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>

#include "sys.h"
#include "thread_events.h"

enum { THREADS = 8, EVENTS_OF_A_THREAD = 2000 };

static struct thread_events_reader one, other;

static int close_both(void **state)
{
    thread_events_close(&one);
    thread_events_close(&other);
    return 0;
}

#define READ(name) TEST_WITH(name, NULL, close_both)

static void add_of(uint64_t id, uint64_t opened)
{
    struct thread_event event = {.opened = opened,
                                 .thread = {.id = id, .tid = (pid_t)id + 1000, .is_carrier = id % 2 == 0,
                                            .begun = {.total_ns = 3}, .times = {.total_ns = (int64_t)id}}};
    snprintf(event.thread.name, sizeof event.thread.name, "worker %u", (unsigned)id);
    thread_events_add(&event);
}

static void add(uint64_t id)
{
    add_of(id, thread_events_opened());
}

/* The number of events that this reader gets, from the first id to the last without a gap. */
static uint64_t taken(struct thread_events_reader *reader, uint64_t first)
{
    struct thread_event event;
    uint64_t id = first;
    for (; thread_events_take(reader, &event); id++)
        assert_int_equal(event.thread.id, id);
    return id - first;
}

/* Its next event may have been freed: nobody keeps it for a closed reader. */
READ(a_closed_reader_gets_nothing)
{
    thread_events_open(&one);
    thread_events_open(&other);
    add(1);
    add(2);
    assert_int_equal(taken(&other, 1), 2);
    assert_true(thread_events_wait(&one));
    thread_events_close(&one);
    assert_false(thread_events_wait(&one));
    assert_int_equal(taken(&one, 1), 0);
    add(3);
    assert_int_equal(taken(&one, 1), 0);
    assert_int_equal(taken(&other, 3), 1);
}

READ(each_reader_gets_every_end_once_in_order_and_whole)
{
    struct thread_event event;
    thread_events_open(&one);
    thread_events_open(&other);
    add(1);
    assert_true(thread_events_take(&one, &event));
    assert_int_equal(event.thread.id, 1);
    assert_int_equal(event.thread.tid, 1001);
    assert_int_equal(event.opened, thread_events_opened());
    assert_false(event.thread.is_carrier);
    assert_int_equal(event.thread.begun.total_ns, 3);
    assert_int_equal(event.thread.times.total_ns, 1);
    assert_string_equal(event.thread.name, "worker 1");
    add(2);
    add(3);
    assert_int_equal(taken(&other, 1), 3);
    assert_int_equal(taken(&one, 2), 2);
    assert_int_equal(taken(&other, 4), 0);
}

READ(events_are_wanted_while_anyone_reads)
{
    assert_false(thread_events_are_read());
    assert_false(thread_events_are_wanted());
    thread_events_open(&one);
    thread_events_open(&other);
    thread_events_close(&one);
    assert_true(thread_events_are_read());
    assert_true(thread_events_are_wanted());
    thread_events_close(&other);
    assert_false(thread_events_are_wanted());
}

/* Its thread was preempted before it could add it. */
READ(an_end_from_before_a_reader_opened_is_not_its_own_even_if_it_is_added_later)
{
    thread_events_open(&one);
    uint64_t before = thread_events_opened();
    thread_events_open(&other);
    add_of(1, before);
    add(2);
    assert_int_equal(taken(&other, 2), 1);
    add(3);
    assert_int_equal(taken(&other, 3), 1);
}

READ(a_reader_gets_nothing_from_before_it_opened_and_nothing_twice_when_it_opens_again)
{
    thread_events_open(&one);
    add(1);
    thread_events_open(&other);
    assert_false(thread_events_wait(&other));
    assert_true(thread_events_wait(&one));
    add(2);
    thread_events_open(&one);
    assert_int_equal(taken(&one, 1), 2);
    assert_int_equal(taken(&other, 2), 1);
    thread_events_close(&one);
    add(3);
    thread_events_open(&one);
    assert_int_equal(taken(&one, 4), 0);
    assert_int_equal(taken(&other, 3), 1);
    assert_false(thread_events_wait(&one));
}

READ(a_reader_that_is_late_loses_the_oldest_and_takes_none_from_another)
{
    uint64_t id = 1;
    thread_events_open(&one);
    thread_events_open(&other);
    for (int turns = 0; turns < 4; turns++) {
        uint64_t first = id;
        for (int i = 0; i < THREAD_EVENTS_MAX / 2; i++)
            add(id++);
        assert_int_equal(taken(&other, first), THREAD_EVENTS_MAX / 2);
    }
    assert_int_equal(taken(&one, id - THREAD_EVENTS_MAX), THREAD_EVENTS_MAX);
}

READ(what_nobody_takes_is_bounded)
{
    thread_events_open(&one);
    for (uint64_t id = 1; id <= THREAD_EVENTS_MAX + 10; id++)
        add(id);
    assert_false(thread_events_are_wanted());
    assert_int_equal(taken(&one, 1), THREAD_EVENTS_MAX);
    assert_true(thread_events_are_wanted());
    add(7);
    assert_int_equal(taken(&one, 7), 1);
}

static void *add_many(void *first)
{
    for (uint64_t i = 0; i < EVENTS_OF_A_THREAD; i++)
        add((uint64_t)(uintptr_t)first + i);
    return NULL;
}

/* Takes all that come meanwhile; each thread's in their order. */
static void *take_many(void *reader)
{
    struct thread_event event;
    uint64_t next[THREADS] = {0};
    for (int count = 0; count < THREADS * EVENTS_OF_A_THREAD;) {
        if (thread_events_take(reader, &event)) {
            uint64_t thread = event.thread.id / EVENTS_OF_A_THREAD;
            if (event.thread.id % EVENTS_OF_A_THREAD != next[thread]++)
                return reader;
            count++;
        }
    }
    return NULL;
}

READ(threads_add_while_two_readers_take)
{
    pthread_t threads[THREADS], readers[2];
    void *wrong[2];
    thread_events_open(&one);
    thread_events_open(&other);
    assert_int_equal(pthread_create(&readers[0], NULL, take_many, &one), 0);
    assert_int_equal(pthread_create(&readers[1], NULL, take_many, &other), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, (void *)(i * EVENTS_OF_A_THREAD)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(readers[0], &wrong[0]);
    pthread_join(readers[1], &wrong[1]);
    assert_null(wrong[0]);
    assert_null(wrong[1]);
}
