/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM's own answers, raised to what threadclock has shown: while detached, and for total=jvm. */
#include "answers.h"

#include <errno.h>

#include "own_thread.h"
#include "threads.h"

/*
 * What threadclock has shown of a thread; 0: nothing, or unknown; -1: it has ended, maybe before the JVM
 * knows.
 */
static jlong shown(enum native native, jlong id)
{
    threadclock_thread thread;
    struct threadclock_times seen;
    if (id == 0) {
        tc_own_seen(&seen);
    } else {
        int error = tc_threads_find((uint64_t)id, &thread);
        if (error == 0)
            error = tc_threads_seen(thread, &seen);
        if (error != 0)
            return error == -ESRCH ? -1 : 0;
    }
    return native_is_user(native) ? seen.user_ns : seen.total_ns;
}

static inline jlong at_least(jlong shown_ns, jlong time)
{
    if (shown_ns < 0)
        return -1;
    return time < 0 || time > shown_ns ? time : shown_ns;
}

/* What was shown is looked up first, because branches are predicted badly after the JVM's system call. */
static inline jlong of_one(JNIEnv *env, jclass thread_impl, jlong id, enum native native)
{
    if (natives_is_probe(env, id))
        return PROBE_ANSWER;
    jlong shown_ns = shown(native, id);
    return at_least(shown_ns, ((native_of_one *)natives_jvm(native))(env, thread_impl, id));
}

static jlong JNICALL user_of_one(JNIEnv *env, jclass thread_impl, jlong id)
{
    return of_one(env, thread_impl, id, NATIVE_USER_OF_ONE);
}

static jlong JNICALL total_of_one(JNIEnv *env, jclass thread_impl, jlong id)
{
    return of_one(env, thread_impl, id, NATIVE_TOTAL_OF_ONE);
}

static void of_many(JNIEnv *env, jclass thread_impl, jlongArray ids_array, jlongArray times_array,
                    enum native native)
{
    jlong ids[ANSWER_CHUNK], times[ANSWER_CHUNK];
    jint length = ids_array != NULL && times_array != NULL ? (*env)->GetArrayLength(env, ids_array) : 0;
    if (length == 1) {
        (*env)->GetLongArrayRegion(env, ids_array, 0, 1, ids);
        if (answer_is_probe(env, ids, 1)) {
            (*env)->SetLongArrayRegion(env, times_array, 0, 1, &PROBE_ANSWER);
            return;
        }
    }
    ((native_of_many *)natives_jvm(native))(env, thread_impl, ids_array, times_array);
    for (jint from = 0; from < length && !(*env)->ExceptionCheck(env); from += ANSWER_CHUNK) {
        jint count = length - from < ANSWER_CHUNK ? length - from : ANSWER_CHUNK;
        (*env)->GetLongArrayRegion(env, ids_array, from, count, ids);
        (*env)->GetLongArrayRegion(env, times_array, from, count, times);
        for (jint i = 0; i < count; i++)
            times[i] = times[i] < 0 ? -1 : at_least(shown(native, ids[i]), times[i]);
        (*env)->SetLongArrayRegion(env, times_array, from, count, times);
    }
}

static void JNICALL user_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)
{
    of_many(env, thread_impl, ids, times, NATIVE_USER_OF_MANY);
}

static void JNICALL total_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)
{
    of_many(env, thread_impl, ids, times, NATIVE_TOTAL_OF_MANY);
}

void *answer_jvms(enum native native)
{
    switch (native) {
    case NATIVE_USER_OF_ONE: return (void *)user_of_one;
    case NATIVE_USER_OF_MANY: return (void *)user_of_many;
    case NATIVE_TOTAL_OF_ONE: return (void *)total_of_one;
    case NATIVE_TOTAL_OF_MANY: return (void *)total_of_many;
    default: return NULL;
    }
}
