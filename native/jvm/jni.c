/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of dev.threadclock.internal.Native, and how they are bound. A failure is -1. */
#include <errno.h>
#include <jni.h>
#include <stddef.h>
#include <string.h>

#include "instance.h"
#include "interval.h"
#include "java_binding.h"
#include "java_natives.h"
#include "java_threads.h"
#include "run_queue.h"
#include "threadclock.h"
#include "threads.h"
#include "tick.h"
#include "vm_structs.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_threadclock_internal_Native_##name

/* Each native is one call into the core. */
#define NATIVE_NANOS(name, read)                         \
    NATIVE(jlong, name)(JNIEnv *env, jclass caller);     \
    NATIVE(jlong, name)(JNIEnv *env, jclass caller)      \
    {                                                    \
        (void)env;                                       \
        (void)caller;                                    \
        int64_t ns = read();                             \
        return ns < 0 ? -1 : (jlong)ns;                  \
    }

NATIVE_NANOS(userTickNanos, threadclock_user_tick_ns)
NATIVE_NANOS(userNowNanos, threadclock_user_now_ns)
NATIVE_NANOS(systemTickNanos, threadclock_system_tick_ns)
NATIVE_NANOS(systemNowNanos, threadclock_system_now_ns)
NATIVE_NANOS(totalTickNanos, threadclock_total_tick_ns)
NATIVE_NANOS(totalNowNanos, threadclock_total_now_ns)
NATIVE_NANOS(totalInterpolatedNanos, threadclock_total_interpolated_ns)
NATIVE_NANOS(tickLengthNanos, threadclock_tick_length_ns)
NATIVE_NANOS(coarseMonotonicNanos, tc_coarse_ns)

/* Stores times at an address: three longs, as in struct threadclock_times. 0 or a negative errno. */
#define NATIVE_TIMES(name, read)                                    \
    NATIVE(jint, name)(JNIEnv *env, jclass caller, jlong address);  \
    NATIVE(jint, name)(JNIEnv *env, jclass caller, jlong address)   \
    {                                                               \
        (void)env;                                                  \
        (void)caller;                                               \
        return read((struct threadclock_times *)address);           \
    }

NATIVE_TIMES(timesTick, threadclock_times_tick)
NATIVE_TIMES(timesNow, threadclock_times_now)
NATIVE_TIMES(processTimes, threadclock_process_times)

/* An interval is at the address at its beginning, and what the thread has used since, at its end. */
union interval {
    struct threadclock_interval begun;
    struct threadclock_times used;
};

NATIVE(jint, intervalBegin)(JNIEnv *env, jclass caller, jlong address);
NATIVE(jint, intervalBegin)(JNIEnv *env, jclass caller, jlong address)
{
    (void)env;
    (void)caller;
    return threadclock_interval_begin((struct threadclock_interval *)address);
}

NATIVE(jint, intervalEnd)(JNIEnv *env, jclass caller, jlong address);
NATIVE(jint, intervalEnd)(JNIEnv *env, jclass caller, jlong address)
{
    (void)env;
    (void)caller;
    union interval *interval = (union interval *)address;
    struct threadclock_times used;
    int error = threadclock_interval_end(&interval->begun, &used);
    if (error == 0)
        interval->used = used;
    return error;
}

NATIVE(jlong, addressOf)(JNIEnv *env, jclass caller, jobject buffer);
NATIVE(jlong, addressOf)(JNIEnv *env, jclass caller, jobject buffer)
{
    (void)caller;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

NATIVE(jint, tidTimes)(JNIEnv *env, jclass caller, jint tid, jlong address);
NATIVE(jint, tidTimes)(JNIEnv *env, jclass caller, jint tid, jlong address)
{
    (void)env;
    (void)caller;
    return threadclock_tid_times(tid, (struct threadclock_times *)address);
}

NATIVE(jint, allThreads)(JNIEnv *env, jclass caller, jlong address, jint capacity);
NATIVE(jint, allThreads)(JNIEnv *env, jclass caller, jlong address, jint capacity)
{
    (void)env;
    (void)caller;
    return (jint)threadclock_all_threads((struct threadclock_thread_row *)address, (size_t)capacity);
}

NATIVE(jlong, waitedNanos)(JNIEnv *env, jclass caller, jint tid, jlong ran_ns);
NATIVE(jlong, waitedNanos)(JNIEnv *env, jclass caller, jint tid, jlong ran_ns)
{
    (void)env;
    (void)caller;
    int64_t waited_ns = tc_run_queue_waited_ns(tid == 0 ? tc_own_tid() : tid, ran_ns);
    return waited_ns < 0 ? -1 : (jlong)waited_ns;
}

static struct vm_structs structs;

/* Finds out how to get the TID of a Java thread in this JVM. Call it once; until then there are no TIDs. */
NATIVE(void, findThreads)(JNIEnv *env, jclass caller);
NATIVE(void, findThreads)(JNIEnv *env, jclass caller)
{
    (void)caller;
    JavaVM *vm;
    void *libjvm = (*env)->GetJavaVM(env, &vm) == JNI_OK ? instance_libjvm(vm) : NULL;
    if (libjvm != NULL)
        vm_structs_find(libjvm, &structs);
}

NATIVE(jint, tid)(JNIEnv *env, jclass caller, jobject thread);
NATIVE(jint, tid)(JNIEnv *env, jclass caller, jobject thread)
{
    (void)caller;
    uint64_t eetop;
    return java_threads_tid(env, thread, &structs, &eetop);
}

/*
 * By its registration, if the agent has registered it. Otherwise by its TID, which was its own throughout if
 * the thread is alive afterwards.
 */
static int thread_times(JNIEnv *env, jobject thread, struct threadclock_times *times)
{
    uint64_t eetop, id = java_threads_id(env, thread);
    threadclock_thread registered;
    if (id == 0)
        return -ENOSYS;
    if (tc_threads_find(id, &registered) == 0)
        return threadclock_thread_times(registered, times);
    if (tc_known_java_thread_times(id, times) == 0)
        return java_threads_same(env, thread, 0) ? -ESRCH : 0;
    int result = java_threads_tid(env, thread, &structs, &eetop);
    if (result > 0)
        result = tc_java_thread_times(result, id, times);
    return result == 0 && !java_threads_same(env, thread, eetop) ? -ESRCH : result;
}

NATIVE(jint, threadTimes)(JNIEnv *env, jclass caller, jobject thread, jlong address);
NATIVE(jint, threadTimes)(JNIEnv *env, jclass caller, jobject thread, jlong address)
{
    (void)caller;
    struct threadclock_times times;
    int error = thread_times(env, thread, &times);
    if (error == 0)
        *(struct threadclock_times *)address = times;
    return error;
}

/* The interval may end meanwhile: the caller then discards the result. */
NATIVE(jint, intervalSoFar)(JNIEnv *env, jclass caller, jobject thread, jlong begun, jlong address);
NATIVE(jint, intervalSoFar)(JNIEnv *env, jclass caller, jobject thread, jlong begun, jlong address)
{
    (void)caller;
    struct threadclock_interval interval = *(const struct threadclock_interval *)begun;
    struct threadclock_times now;
    int error = thread_times(env, thread, &now);
    return error != 0 ? error
                      : tc_interval_elsewhere(&interval, &now, (struct threadclock_times *)address);
}

/* Stores at an address: id and system calls as ints, resolution and age as longs. 0 or a negative errno. */
NATIVE(jint, describe)(JNIEnv *env, jclass caller, jint quantity, jint freshness, jlong address);
NATIVE(jint, describe)(JNIEnv *env, jclass caller, jint quantity, jint freshness, jlong address)
{
    (void)env;
    (void)caller;
    struct threadclock_source source;
    int error = threadclock_describe((enum threadclock_quantity)quantity,
                                     (enum threadclock_freshness)freshness, &source);
    if (error == 0)
        memcpy((void *)address, &source, offsetof(struct threadclock_source, name));
    return error;
}

NATIVE(jstring, sourceName)(JNIEnv *env, jclass caller, jint quantity, jint freshness);
NATIVE(jstring, sourceName)(JNIEnv *env, jclass caller, jint quantity, jint freshness)
{
    (void)caller;
    struct threadclock_source source;
    int error = threadclock_describe((enum threadclock_quantity)quantity,
                                     (enum threadclock_freshness)freshness, &source);
    return error == 0 ? (*env)->NewStringUTF(env, source.name) : NULL;
}

NATIVE(jstring, version)(JNIEnv *env, jclass caller);
NATIVE(jstring, version)(JNIEnv *env, jclass caller)
{
    (void)caller;
    return (*env)->NewStringUTF(env, threadclock_version());
}

#define METHOD(name, signature) (void *)Java_dev_threadclock_internal_Native_##name,

static void *const own_functions[] = {JAVA_METHODS(METHOD)};

/*
 * Binds the natives of a class: to the copy of this library that was loaded first, else to this one. An
 * exception may be pending afterwards.
 */
JNIEXPORT void JNICALL Java_dev_threadclock_internal_NativeLibrary_bind(JNIEnv *env, jclass caller,
                                                                        jclass natives)
{
    (void)caller;
    java_binding_make(env, natives, own_functions);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        java_binding_of_renamed(env, "bind", "(Ljava/lang/Class;)V",
                                (void *)Java_dev_threadclock_internal_NativeLibrary_bind);
    return JNI_VERSION_1_8;
}
