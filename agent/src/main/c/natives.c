/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of sun.management.ThreadImpl that the agent answers in place of the JVM's own; the same on JDK 8 to 27.
 *
 * ThreadImpl has checked its arguments and asks only while CPU time is enabled. id 0 is the current thread. A registered
 * thread is read by its slot; one that has ended is -1; one that is not known is the JVM's.
 */
#include "natives.h"

#include <errno.h>
#include <string.h>

#include "own_thread.h"
#include "threads.h"

typedef jlong JNICALL of_one(JNIEnv *env, jclass thread_impl, jlong id);
typedef void JNICALL of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times);

const char *const native_names[NATIVES] = {"getThreadUserCpuTime0", "getThreadUserCpuTime1", "getThreadTotalCpuTime0",
                                           "getThreadTotalCpuTime1"};

static void *jvm_functions[NATIVES];

void natives_bound(enum native native, void *jvm_function)
{
    __atomic_store_n(&jvm_functions[native], jvm_function, __ATOMIC_RELEASE);
}

void *natives_jvm(enum native native)
{
    return __atomic_load_n(&jvm_functions[native], __ATOMIC_ACQUIRE);
}

enum native native_of(const char *name, const char *signature)
{
    for (enum native native = 0; native < NATIVES; native++) {
        bool many = native == NATIVE_USER_OF_MANY || native == NATIVE_TOTAL_OF_MANY;
        if (strcmp(name, native_names[native]) == 0 && strcmp(signature, many ? "([J[J)V" : "(J)J") == 0)
            return native;
    }
    return NATIVES;
}

static jlong nanos_or_minus_1(int64_t ns)
{
    return ns < 0 ? -1 : (jlong)ns;
}

static int64_t user_of(threadclock_thread thread)
{
    struct threadclock_times times;
    int error = threadclock_thread_times(thread, &times);
    return error < 0 ? error : times.user_ns;
}

/* True and the time of the thread with this Java id (-1: it has ended); false: the JVM is to answer. */
static bool read_registered(jlong id, int64_t (*read)(threadclock_thread), jlong *time)
{
    threadclock_thread thread;
    int error = tc_threads_find((uint64_t)id, &thread);
    if (error == -ENOENT)
        return false;
    int64_t time_ns = error < 0 ? error : read(thread);
    if (time_ns < 0 && tc_threads_find((uint64_t)id, &thread) == -ENOENT)
        return false; /* forgotten meanwhile, by a detach: it has not ended */
    *time = nanos_or_minus_1(time_ns);
    return true;
}

static jlong other(JNIEnv *env, jclass thread_impl, jlong id, enum native native, int64_t (*read)(threadclock_thread))
{
    jlong time;
    if (id > 0 && read_registered(id, read, &time))
        return time;
    return ((of_one *)natives_jvm(native))(env, thread_impl, id);
}

/* One native a freshness: the hot path has its read built in. */
#define OF_ONE(name, own_read, native, read)                                 \
    static jlong JNICALL name(JNIEnv *env, jclass thread_impl, jlong id)     \
    {                                                                        \
        if (__builtin_expect(id == 0, 1))                                    \
            return nanos_or_minus_1(own_read());                             \
        return other(env, thread_impl, id, native, read);                    \
    }

OF_ONE(user_tick_of_one, threadclock_user_tick_ns, NATIVE_USER_OF_ONE, user_of)
OF_ONE(user_now_of_one, threadclock_user_now_ns, NATIVE_USER_OF_ONE, user_of)
OF_ONE(total_tick_of_one, threadclock_total_tick_ns, NATIVE_TOTAL_OF_ONE, threadclock_thread_total_ns)
OF_ONE(total_now_of_one, threadclock_total_now_ns, NATIVE_TOTAL_OF_ONE, threadclock_thread_total_ns)
OF_ONE(total_interpolated_of_one, threadclock_total_interpolated_ns, NATIVE_TOTAL_OF_ONE, threadclock_thread_total_ns)

/* The ids that are not registered, to the JVM in arrays of their own. False: an exception is pending. */
static bool read_by_jvm(JNIEnv *env, jclass thread_impl, of_many *jvm, const jlong *ids, jint count, jlong *times)
{
    jlongArray ids_array = (*env)->NewLongArray(env, count), times_array = ids_array != NULL ? (*env)->NewLongArray(env, count) : NULL;
    if (times_array == NULL)
        return false;
    (*env)->SetLongArrayRegion(env, ids_array, 0, count, ids);
    (*env)->SetLongArrayRegion(env, times_array, 0, count, times);
    jvm(env, thread_impl, ids_array, times_array);
    if ((*env)->ExceptionCheck(env))
        return false;
    (*env)->GetLongArrayRegion(env, times_array, 0, count, times);
    (*env)->DeleteLocalRef(env, times_array);
    (*env)->DeleteLocalRef(env, ids_array);
    return true;
}

enum { CHUNK = 256 };

/* One chunk of the array. False: an exception is pending. */
static bool read_chunk(JNIEnv *env, jclass thread_impl, of_many *jvm, int64_t (*read)(threadclock_thread), const jlong *ids,
                       jint count, jlong *times)
{
    jlong unknown[CHUNK], unknown_times[CHUNK];
    jint unknown_count = 0, unknown_places[CHUNK];
    for (jint i = 0; i < count; i++) {
        times[i] = -1;
        if (!read_registered(ids[i], read, &times[i])) {
            unknown[unknown_count] = ids[i];
            unknown_times[unknown_count] = -1;
            unknown_places[unknown_count++] = i;
        }
    }
    if (unknown_count > 0 && !read_by_jvm(env, thread_impl, jvm, unknown, unknown_count, unknown_times))
        return false;
    for (jint i = 0; i < unknown_count; i++)
        times[unknown_places[i]] = unknown_times[i];
    return true;
}

static void many(JNIEnv *env, jclass thread_impl, jlongArray ids_array, jlongArray times_array, enum native native,
                 int64_t (*read)(threadclock_thread))
{
    of_many *jvm = (of_many *)natives_jvm(native);
    jint length = ids_array != NULL && times_array != NULL ? (*env)->GetArrayLength(env, ids_array) : -1;
    if (length < 0 || (*env)->GetArrayLength(env, times_array) != length) {
        jvm(env, thread_impl, ids_array, times_array); /* the JVM says what is wrong */
        return;
    }
    jlong ids[CHUNK], times[CHUNK];
    for (jint from = 0; from < length; from += CHUNK) {
        jint count = length - from < CHUNK ? length - from : CHUNK;
        (*env)->GetLongArrayRegion(env, ids_array, from, count, ids);
        if (!read_chunk(env, thread_impl, jvm, read, ids, count, times))
            return;
        (*env)->SetLongArrayRegion(env, times_array, from, count, times);
    }
}

static void JNICALL user_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)
{
    many(env, thread_impl, ids, times, NATIVE_USER_OF_MANY, user_of);
}

static void JNICALL total_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)
{
    many(env, thread_impl, ids, times, NATIVE_TOTAL_OF_MANY, threadclock_thread_total_ns);
}

void *native_function(enum native native, const struct agent_options *options)
{
    static of_one *const total_of_one[] = {[TOTAL_JVM] = NULL, [TOTAL_TICK] = total_tick_of_one, [TOTAL_NOW] = total_now_of_one,
                                           [TOTAL_INTERPOLATED] = total_interpolated_of_one};
    switch (native) {
    case NATIVE_USER_OF_ONE: return (void *)(options->freshness == THREADCLOCK_NOW ? user_now_of_one : user_tick_of_one);
    case NATIVE_USER_OF_MANY: return (void *)user_of_many;
    case NATIVE_TOTAL_OF_ONE: return (void *)total_of_one[options->total];
    case NATIVE_TOTAL_OF_MANY: return options->total == TOTAL_JVM ? NULL : (void *)total_of_many;
    default: return NULL;
    }
}
