/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends of Java threads during sampling: each thread records its own, the sampler collects them. */
#ifndef TC_AGENT_SAMPLE_EVENTS_H
#define TC_AGENT_SAMPLE_EVENTS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"
#include "threadclock.h"

struct sample_event {
    struct sample_event *next;
    uint64_t id;
    int64_t monotonic_ns;
    struct threadclock_times times; /* at its end */
    pid_t tid;
    bool end, carrier;
    char name[]; /* modified UTF-8 */
};

/* Recorded without a lock. Limited in number: a sampler that is not read must not fill the JVM's memory. */
struct sample_events {
    struct sample_event *last;
    uint32_t count;
};

/* Call it in the thread that starts or ends. Without memory, or if there are too many, records nothing. */
TC_INTERNAL void sample_events_add(struct sample_events *events, jvmtiEnv *jvmti, JNIEnv *env, jthread thread,
                                   bool end);

/* All recorded events, in order; the caller frees them. */
TC_INTERNAL struct sample_event *sample_events_take(struct sample_events *events);

#endif
