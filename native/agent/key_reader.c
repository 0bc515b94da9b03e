/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread and scrapes wait for one another at a raw monitor: for a thread that waits there, unlike one in
 * native code, the JVM's end does not wait.
 */
#include "key_reader.h"

#include <stdlib.h>

#include "java_calls.h"
#include "key_sources.h"
#include "lock.h"
#include "threadclock.h"

enum { PATIENCE_MS = 1000, NS_PER_MS = 1000000 };

/* Under the monitor. */
static struct {
    struct tc_lock making; /* of the monitor, which stays */
    jvmtiEnv *jvmti;       /* null: there is no monitor yet */
    jrawMonitorID monitor;
    bool has_thread;
    bool ending;             /* the thread */
    bool jvm_ends;           /* set before ending, and for good */
    bool busy;               /* with a reading */
    struct tc_text *awaited; /* the samples for which a scrape waits; null: none does, or no longer */
} reader;

static void enter(void)
{
    (*reader.jvmti)->RawMonitorEnter(reader.jvmti, reader.monitor);
}

static void leave(void)
{
    (*reader.jvmti)->RawMonitorExit(reader.jvmti, reader.monitor);
}

static void wait_for(jlong milliseconds) /* 0: without a limit */
{
    (*reader.jvmti)->RawMonitorWait(reader.jvmti, reader.monitor, milliseconds);
}

static void wake_others(void)
{
    (*reader.jvmti)->RawMonitorNotifyAll(reader.jvmti, reader.monitor);
}

static void read_once(JNIEnv *env)
{
    struct tc_text samples = {.size = 0};
    reader.busy = true;
    leave();
    key_sources_read(env, &samples);
    enter();
    reader.busy = false;
    if (reader.awaited != NULL)
        *reader.awaited = samples;
    else
        free(samples.bytes);
    reader.awaited = NULL;
    wake_others();
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    enter();
    while (!reader.ending)
        if (reader.awaited != NULL)
            read_once(env);
        else
            wait_for(0);
    reader.has_thread = false;
    leave();
}

static bool has_monitor(jvmtiEnv *jvmti)
{
    tc_lock(&reader.making);
    if (reader.jvmti == NULL
        && (*jvmti)->CreateRawMonitor(jvmti, "threadclock-keys", &reader.monitor) == JVMTI_ERROR_NONE)
        reader.jvmti = jvmti;
    tc_unlock(&reader.making);
    return reader.jvmti != NULL;
}

/* Not under the monitor, because the constructor of Thread may wait for memory. */
static void ensure_thread(JNIEnv *env)
{
    enter();
    bool starts = !reader.has_thread && !reader.jvm_ends;
    reader.has_thread |= starts;
    reader.ending = reader.jvm_ends;
    leave();
    if (starts && agent_thread_start(reader.jvmti, env, "threadclock-keys", run, NULL) != JVMTI_ERROR_NONE) {
        enter();
        reader.has_thread = false;
        leave();
    }
}

static int64_t now_ns(void)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

/* Another scrape may be waiting while the server moves to another address. */
static void await(struct tc_text *samples)
{
    if (!reader.has_thread || reader.busy || reader.awaited != NULL)
        return;
    int64_t until_ns = now_ns() + PATIENCE_MS * (int64_t)NS_PER_MS, left_ns;
    reader.awaited = samples;
    wake_others();
    while (reader.awaited == samples && !reader.ending && (left_ns = until_ns - now_ns()) > 0)
        wait_for(left_ns / NS_PER_MS + 1);
    if (reader.awaited == samples)
        reader.awaited = NULL;
}

struct tc_text key_reader_samples(jvmtiEnv *jvmti, JNIEnv *env)
{
    struct tc_text samples = {.size = 0};
    if (key_sources_exist() && has_monitor(jvmti)) {
        ensure_thread(env);
        enter();
        await(&samples);
        leave();
    }
    return samples;
}

void key_reader_end(bool with_jvm)
{
    tc_lock(&reader.making);
    bool has_begun = reader.jvmti != NULL;
    reader.jvm_ends |= with_jvm;
    tc_unlock(&reader.making);
    if (has_begun) {
        enter();
        reader.ending = true;
        wake_others();
        leave();
    }
}
