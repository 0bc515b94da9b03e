/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free stack of thread events. */
#include "sample_events.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "java_threads.h"
#include "sample_names.h"
#include "sys.h"

enum { EVENTS_MAX = 65536 };

static struct sample_event *make_event(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, bool end)
{
    struct threadclock_times times = {0, 0, 0};
    uint64_t id = java_threads_id(env, thread);
    if (id == 0 || (end && threadclock_times_now(&times) != 0))
        return NULL;
    char name[SAMPLE_NAME_BYTES];
    if (!sample_name_of(jvmti, env, thread, name))
        return NULL;
    size_t size = strlen(name) + 1;
    struct sample_event *event = malloc(sizeof *event + size);
    if (event != NULL) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *event = (struct sample_event){.id = id,
                                       .monotonic_ns = now.tv_sec * 1000000000ll + now.tv_nsec,
                                       .times = times,
                                       .tid = tc_own_tid(),
                                       .end = end,
                                       .carrier = sample_is_carrier(env, thread)};
        memcpy(event->name, name, size);
    }
    return event;
}

void sample_events_add(struct sample_events *events, jvmtiEnv *jvmti, JNIEnv *env, jthread thread, bool end)
{
    if (__atomic_load_n(&events->count, __ATOMIC_RELAXED) >= EVENTS_MAX)
        return;
    struct sample_event *event = make_event(jvmti, env, thread, end);
    if (event == NULL)
        return;
    __atomic_fetch_add(&events->count, 1, __ATOMIC_RELAXED);
    event->next = __atomic_load_n(&events->last, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&events->last, &event->next, event, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

struct sample_event *sample_events_take(struct sample_events *events)
{
    struct sample_event *first = NULL, *event = __atomic_exchange_n(&events->last, NULL, __ATOMIC_ACQUIRE);
    uint32_t count = 0;
    while (event != NULL) {
        struct sample_event *earlier = event->next;
        event->next = first;
        first = event;
        event = earlier;
        count++;
    }
    __atomic_fetch_sub(&events->count, count, __ATOMIC_RELAXED);
    return first;
}
