/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of sun.management.ThreadImpl that the agent answers, the same on JDK 8 to 28, and the functions
 * that answer them: threadclock's, or the JVM's, whose answers are raised to what threadclock has shown
 * before.
 */
#ifndef TC_AGENT_NATIVES_H
#define TC_AGENT_NATIVES_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "sys.h"

enum native {
    NATIVE_USER_OF_ONE,   /* long getThreadUserCpuTime0(long id): id 0 is the current thread */
    NATIVE_USER_OF_MANY,  /* void getThreadUserCpuTime1(long[] ids, long[] times) */
    NATIVE_TOTAL_OF_ONE,  /* long getThreadTotalCpuTime0(long id) */
    NATIVE_TOTAL_OF_MANY, /* void getThreadTotalCpuTime1(long[] ids, long[] times) */
    NATIVES
};

typedef jlong JNICALL native_of_one(JNIEnv *env, jclass thread_impl, jlong id);
typedef void JNICALL native_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times);

TC_INTERNAL extern const char *const native_names[NATIVES];

static inline bool native_is_of_many(enum native native)
{
    return native == NATIVE_USER_OF_MANY || native == NATIVE_TOTAL_OF_MANY;
}

static inline bool native_is_user(enum native native)
{
    return native == NATIVE_USER_OF_ONE || native == NATIVE_USER_OF_MANY;
}

TC_INTERNAL const char *native_signature(enum native native);

/* Which native a method of ThreadImpl is; NATIVES: another. */
TC_INTERNAL enum native native_of(const char *name, const char *signature);

/*
 * The JVM's own function, which still answers for what the agent cannot read; null: not known yet. The first
 * one noted is kept: a later one might be another agent's function that calls ours.
 */
TC_INTERNAL void *natives_jvm(enum native native);
TC_INTERNAL void natives_note_jvm(enum native native, void *function);

/* Looks up the functions that are not known yet in the JVM's management library. */
TC_INTERNAL void natives_find_jvm(void);

/*
 * To find out whether a native is bound to the agent, it is called for an id that no thread has: our
 * functions return PROBE_ANSWER to the one thread that probes, the JVM's return -1 or throw.
 */
static const jlong PROBE_ID = INT64_MAX, PROBE_ANSWER = -2;

/* From now on this thread is the one that probes; null: none is. */
TC_INTERNAL void natives_set_prober(JNIEnv *env);
TC_INTERNAL bool natives_is_prober(const JNIEnv *env);

static inline bool natives_is_probe(const JNIEnv *env, jlong id)
{
    return __builtin_expect(id == PROBE_ID, 0) && natives_is_prober(env);
}

typedef int64_t own_read(void);

/* The read of the calling thread, which is id 0, under these options; null: the JVM answers. */
TC_INTERNAL own_read *answer_own(enum native native, const struct agent_options *options);

/* The function that answers for other threads (null: the JVM). It needs natives_jvm of this native. */
TC_INTERNAL void *answer_ours(enum native native, const struct agent_options *options);

/*
 * The function that returns the JVM's own answer, or what threadclock has shown of the thread if that is
 * more: values must not decrease because the agent is detached. It needs natives_jvm of this native.
 */
TC_INTERNAL void *answer_jvms(enum native native);

#endif
