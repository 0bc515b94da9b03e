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

static const int64_t ns_per_ms = 1000000;
static const int64_t patience_ns = INT64_C(1000000000);
static const int64_t reuse_ns = INT64_C(100000000); /* CpuAccount.REUSE */

/* Under the monitor. */
static struct {
    struct tc_lock making; /* of the monitor, which stays */
    jvmtiEnv *jvmti;       /* null: there is no monitor yet */
    jrawMonitorID monitor;
    bool has_thread;
    bool ending;          /* the thread */
    bool jvm_ends;        /* set before ending, and for good */
    int64_t wanted_at_ns; /* the reading that is to be made, or is being made; 0: none */
    int64_t read_at_ns;   /* the end of the last reading; 0: there is none */
    struct tc_text last;  /* its samples */
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

static int64_t now_ns(void)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

static void replace_last(struct tc_text samples, int64_t read_at_ns)
{
    free(reader.last.bytes);
    reader.last = samples;
    reader.read_at_ns = read_at_ns;
    reader.wanted_at_ns = 0;
}

static void read_once(JNIEnv *env)
{
    struct tc_text samples = {.size = 0};
    leave();
    key_sources_read(env, &samples);
    enter();
    replace_last(samples, now_ns());
    wake_others();
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    enter();
    while (!reader.ending)
        if (reader.wanted_at_ns != 0)
            read_once(env);
        else
            wait_for(0);
    replace_last((struct tc_text){.size = 0}, 0);
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

/*
 * A reading that never ends, because it waits for a lock, holds up one scrape only. Other scrapes wait as
 * well while the server moves to another address. False: there is no recent reading.
 */
static bool await(void)
{
    int64_t oldest_ns = now_ns() - reuse_ns, left_ns;
    if (reader.read_at_ns < oldest_ns && reader.has_thread && reader.wanted_at_ns == 0) {
        reader.wanted_at_ns = now_ns();
        wake_others();
    }
    while (reader.read_at_ns < oldest_ns && !reader.ending
           && (left_ns = reader.wanted_at_ns + patience_ns - now_ns()) > 0)
        wait_for(left_ns / ns_per_ms + 1);
    return reader.read_at_ns >= oldest_ns;
}

void key_reader_write(jvmtiEnv *jvmti, JNIEnv *env, bool open_metrics, struct tc_text *text)
{
    if (!key_sources_exist() || !has_monitor(jvmti))
        return;
    ensure_thread(env);
    enter();
    if (await())
        tc_metrics_write_keys(&reader.last, open_metrics, text);
    leave();
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
