/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadclock's own answers to the natives of ThreadImpl, which has checked its arguments and calls them only
 * while CPU time is enabled. A registered thread is read through its slot; for one that has ended the answer
 * is -1. An unknown thread may have just started, with an id that is visible before the thread registers
 * itself: it is then registered. The JVM answers for threads that JVMTI does not list: those of the JIT, and
 * one that Thread.start has created but not yet started.
 */
#include <errno.h>

#include "answers.h"
#include "clock_id.h"
#include "java_threads.h"
#include "own_thread.h"
#include "threads.h"

typedef int64_t read_thread(threadclock_thread thread);

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

/* True and the time of the thread with this id (-1: ended); false: unknown, or its clocks cannot be read. */
static bool read_registered(jlong id, read_thread *read, jlong *time)
{
    threadclock_thread thread;
    int error = tc_threads_find((uint64_t)id, &thread);
    int64_t time_ns = error == 0 ? read(thread) : error;
    if (time_ns < 0 && time_ns != -ESRCH)
        return false;
    *time = nanos_or_minus_1(time_ns);
    return true;
}

/* Known threads that cannot be read are registered already: a search among all threads would not help. */
static bool is_unknown(jlong id)
{
    threadclock_thread thread;
    return tc_threads_find((uint64_t)id, &thread) == -ENOENT;
}

/*
 * The JVM's total time of a thread that is not registered, less what getrusage truncates from user and system
 * time: a fraction of a microsecond each. The thread itself may next read the sum of those two as of the same
 * moment: the kernel brings a thread's run time up to date when its clock is read (task_sched_runtime,
 * kernel/sched/core.c), and after that not before the next tick.
 */
static jlong as_rusage(jlong total)
{
    enum { CUT_OFF_NS = 2 * 999 };
    return total > CUT_OFF_NS ? total - CUT_OFF_NS : total < 0 ? -1 : 0;
}

static jlong lesser(jlong a, jlong b)
{
    return a < b ? a : b;
}

/* If clock_gettime is refused, HotSpot's total time is uninitialized memory. */
static bool has_total(void)
{
    return threadclock_clock_ns(TC_CLOCK_OWN_SCHED) >= 0;
}

/*
 * The JVM's user time, but not above its total time, which is read first: on JDK 25.0.5 and later its user
 * time is a raw count of ticks. Its total time is right.
 */
static jlong bounded_by_total(JNIEnv *env, jclass thread_impl, jlong id)
{
    native_of_one *total_of_one = (native_of_one *)natives_jvm(NATIVE_TOTAL_OF_ONE);
    jlong total = total_of_one != NULL && has_total() ? total_of_one(env, thread_impl, id) : INT64_MAX;
    jlong user = ((native_of_one *)natives_jvm(NATIVE_USER_OF_ONE))(env, thread_impl, id);
    return lesser(user, as_rusage(total));
}

static jlong of_one(JNIEnv *env, jclass thread_impl, jlong id, enum native native, read_thread *read)
{
    jlong time;
    if (natives_is_probe(env, id))
        return PROBE_ANSWER;
    if (id <= 0) /* the agent is being detached right now */
        return ((native_of_one *)answer_jvms(native))(env, thread_impl, id);
    if (read_registered(id, read, &time))
        return time;
    time = ((native_of_one *)natives_jvm(native))(env, thread_impl, id);
    if (time < 0)
        return -1;
    if (is_unknown(id))
        java_threads_register(env, &id, 1);
    jlong read_time;
    if (read_registered(id, read, &read_time))
        return read_time;
    return native_is_user(native) ? bounded_by_total(env, thread_impl, id) : as_rusage(time);
}

static jlong JNICALL user_of_one(JNIEnv *env, jclass thread_impl, jlong id)
{
    return of_one(env, thread_impl, id, NATIVE_USER_OF_ONE, user_of);
}

static jlong JNICALL total_of_one(JNIEnv *env, jclass thread_impl, jlong id)
{
    return of_one(env, thread_impl, id, NATIVE_TOTAL_OF_ONE, threadclock_thread_total_ns);
}

/* Some ids of an array, with their positions in it. */
struct some {
    jint count;
    jlong ids[ANSWER_CHUNK];
    jint places[ANSWER_CHUNK];
};

static void put(struct some *some, jlong id, jint place)
{
    some->ids[some->count] = id;
    some->places[some->count++] = place;
}

/* Reads the times from the JVM, in new arrays. False: an exception is pending. */
static bool read_by_jvm(JNIEnv *env, jclass thread_impl, native_of_many *jvm, const struct some *some,
                        jlong *times)
{
    jint count = some->count;
    jlongArray ids_array = (*env)->NewLongArray(env, count);
    jlongArray times_array = ids_array != NULL ? (*env)->NewLongArray(env, count) : NULL;
    if (times_array == NULL)
        return false;
    for (jint i = 0; i < count; i++)
        times[i] = -1;
    (*env)->SetLongArrayRegion(env, ids_array, 0, count, some->ids);
    (*env)->SetLongArrayRegion(env, times_array, 0, count, times);
    jvm(env, thread_impl, ids_array, times_array);
    if ((*env)->ExceptionCheck(env))
        return false;
    (*env)->GetLongArrayRegion(env, times_array, 0, count, times);
    (*env)->DeleteLocalRef(env, times_array);
    (*env)->DeleteLocalRef(env, ids_array);
    return true;
}

/* Like bounded_by_total, for several. False: an exception is pending. */
static bool read_bounded(JNIEnv *env, jclass thread_impl, native_of_many *jvm, const struct some *some,
                         jlong *times)
{
    jlong totals[ANSWER_CHUNK];
    native_of_many *jvm_total = (native_of_many *)natives_jvm(NATIVE_TOTAL_OF_MANY);
    if (jvm_total == NULL || !has_total())
        return read_by_jvm(env, thread_impl, jvm, some, times);
    if (!read_by_jvm(env, thread_impl, jvm_total, some, totals)
        || !read_by_jvm(env, thread_impl, jvm, some, times))
        return false;
    for (jint i = 0; i < some->count; i++)
        times[i] = lesser(times[i], as_rusage(totals[i]));
    return true;
}

/*
 * Stores the unknown threads' times at their positions, like of_one for one. False: an exception is pending.
 */
static bool read_unknown(JNIEnv *env, jclass thread_impl, enum native native, read_thread *read,
                         const struct some *unknown, jlong *times)
{
    native_of_many *jvm = (native_of_many *)natives_jvm(native);
    jlong jvm_times[ANSWER_CHUNK];
    struct some alive, unlisted;
    alive.count = unlisted.count = 0;
    if (!read_by_jvm(env, thread_impl, jvm, unknown, jvm_times))
        return false;
    for (jint i = 0; i < unknown->count; i++) {
        times[unknown->places[i]] = jvm_times[i];
        if (jvm_times[i] >= 0)
            put(&alive, unknown->ids[i], unknown->places[i]);
    }
    if (alive.count == 0)
        return true;
    java_threads_register(env, alive.ids, alive.count);
    for (jint i = 0; i < alive.count; i++)
        if (!read_registered(alive.ids[i], read, &times[alive.places[i]]))
            put(&unlisted, alive.ids[i], alive.places[i]);
    if (!native_is_user(native)) {
        for (jint i = 0; i < unlisted.count; i++)
            times[unlisted.places[i]] = as_rusage(times[unlisted.places[i]]);
        return true;
    }
    if (unlisted.count == 0)
        return true;
    if (!read_bounded(env, thread_impl, jvm, &unlisted, jvm_times))
        return false;
    for (jint i = 0; i < unlisted.count; i++)
        times[unlisted.places[i]] = jvm_times[i];
    return true;
}

/* One chunk of the array. False: an exception is pending. */
static bool read_chunk(JNIEnv *env, jclass thread_impl, enum native native, read_thread *read,
                       const jlong *ids, jint count, jlong *times)
{
    struct some unknown;
    unknown.count = 0;
    if (answer_is_probe(env, ids, count)) {
        times[0] = PROBE_ANSWER;
        return true;
    }
    for (jint i = 0; i < count; i++)
        if (!read_registered(ids[i], read, &times[i]))
            put(&unknown, ids[i], i);
    return unknown.count == 0 || read_unknown(env, thread_impl, native, read, &unknown, times);
}

static void many(JNIEnv *env, jclass thread_impl, jlongArray ids_array, jlongArray times_array,
                 enum native native, read_thread *read)
{
    jint length = ids_array != NULL && times_array != NULL ? (*env)->GetArrayLength(env, ids_array) : -1;
    if (length < 0 || (*env)->GetArrayLength(env, times_array) != length) {
        /* The JVM throws the right exception. */
        ((native_of_many *)natives_jvm(native))(env, thread_impl, ids_array, times_array);
        return;
    }
    jlong ids[ANSWER_CHUNK], times[ANSWER_CHUNK];
    for (jint from = 0; from < length; from += ANSWER_CHUNK) {
        jint count = length - from < ANSWER_CHUNK ? length - from : ANSWER_CHUNK;
        (*env)->GetLongArrayRegion(env, ids_array, from, count, ids);
        if (!read_chunk(env, thread_impl, native, read, ids, count, times))
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

own_read *answer_own(enum native native, const struct agent_options *options)
{
    static own_read *const user[] = {[THREADCLOCK_TICK] = threadclock_user_tick_ns,
                                     [THREADCLOCK_NOW] = threadclock_user_now_ns};
    static own_read *const total[] = {[TOTAL_TICK] = threadclock_total_tick_ns,
                                      [TOTAL_NOW] = threadclock_total_now_ns,
                                      [TOTAL_INTERPOLATED] = threadclock_total_interpolated_ns};
    switch (native) {
    case NATIVE_USER_OF_ONE: return user[options->freshness];
    case NATIVE_TOTAL_OF_ONE: return total[options->total];
    default: return NULL;
    }
}

void *answer_ours(enum native native, const struct agent_options *options)
{
    if (!native_is_user(native) && options->total == TOTAL_JVM)
        return NULL;
    switch (native) {
    case NATIVE_USER_OF_ONE: return (void *)user_of_one;
    case NATIVE_USER_OF_MANY: return (void *)user_of_many;
    case NATIVE_TOTAL_OF_ONE: return (void *)total_of_one;
    case NATIVE_TOTAL_OF_MANY: return (void *)total_of_many;
    default: return NULL;
    }
}
