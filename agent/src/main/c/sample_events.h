/* SPDX-License-Identifier: Apache-2.0 */
/* Java threads that start and end while somebody samples: each notes it itself, and the sampler collects the notes. */
#ifndef TC_AGENT_SAMPLE_EVENTS_H
#define TC_AGENT_SAMPLE_EVENTS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "threadclock.h"

struct sample_event {
    struct sample_event *next;
    uint64_t id;
    int64_t monotonic_ns;
    struct threadclock_times times; /* at its end */
    pid_t tid;
    bool end;
    char name[]; /* modified UTF-8 */
};

/* Noted without a lock; so many at most, for a sampler that nobody reads must not fill the JVM's memory. */
struct sample_events {
    struct sample_event *last;
    uint32_t count;
};

/* Called in the thread that starts or ends. Without memory, or when there are too many, nothing is noted. */
void sample_events_add(struct sample_events *events, jvmtiEnv *jvmti, JNIEnv *env, jthread thread, bool end);

/* All there are, in the order in which they were noted; the caller frees them. */
struct sample_event *sample_events_take(struct sample_events *events);

#endif
