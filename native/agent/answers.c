/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to the natives of ThreadImpl, which has checked its arguments and calls them only while CPU time is
 * enabled.
 *
 * threadclock's own: a registered thread is read through its slot; for one that has ended the answer is -1.
 * An unknown thread may have just started, with an id that is visible before the thread registers itself: it
 * is then registered. The JVM answers for threads that JVMTI does not list: those of the JIT, and one that
 * Thread.start has created but not yet started.
 *
 * The JVM's own, raised to what threadclock has shown: while detached, and for total=jvm.
 */
#include <errno.h>

#include "clock_id.h"
#include "java_threads.h"
#include "natives.h"
#include "own_thread.h"
#include "threads.h"

enum { CHUNK = 256 };

typedef int64_t read_thread(uint64_t id);

static jlong nanos_or_minus_1(int64_t ns)
{
    return ns < 0 ? -1 : (jlong)ns;
}

static int64_t user_of(uint64_t id)
{
    struct threadclock_times times;
    int error = tc_threads_times_of(id, &times);
    return error < 0 ? error : times.user_ns;
}

/* True and the time of the thread with this id (-1: ended); false: unknown, or its clocks cannot be read. */
static bool read_registered(jlong id, read_thread *read, jlong *time)
{
    int64_t time_ns = read((uint64_t)id);
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

/* The JVM's own answer; -1: the thread has ended, or the JVM's function is not known. */
static jlong by_jvm(JNIEnv *env, jclass thread_impl, enum native native, jlong id)
{
    native_of_one *function = (native_of_one *)natives_jvm(native);
    return function != NULL ? function(env, thread_impl, id) : -1;
}

/*
 * The JVM's user time, but not above its total time, which is read first: on JDK 25.0.5 and later its user
 * time is a raw count of ticks. Its total time is right.
 */
static jlong bounded_by_total(JNIEnv *env, jclass thread_impl, jlong id)
{
    native_of_one *total_of_one = (native_of_one *)natives_jvm(NATIVE_TOTAL_OF_ONE);
    jlong total = total_of_one != NULL && has_total() ? total_of_one(env, thread_impl, id) : INT64_MAX;
    jlong user = by_jvm(env, thread_impl, NATIVE_USER_OF_ONE, id);
    return lesser(user, as_rusage(total));
}

/* Threads that could not be read by their registrations. Alive ones get one where that is possible. */
static void read_unknown(JNIEnv *env, jclass thread_impl, enum native native, read_thread *read,
                         const jlong *ids, jint count, jlong *times)
{
    bool user = native_is_user(native), unknown = false;
    for (jint i = 0; i < count; i++) {
        times[i] = by_jvm(env, thread_impl, user ? NATIVE_USER_OF_ONE : NATIVE_TOTAL_OF_ONE, ids[i]);
        unknown |= times[i] >= 0 && is_unknown(ids[i]);
    }
    if (unknown)
        java_threads_register(env, ids, count);
    for (jint i = 0; i < count; i++) {
        if (times[i] < 0)
            times[i] = -1;
        else if (!read_registered(ids[i], read, &times[i]))
            times[i] = user ? bounded_by_total(env, thread_impl, ids[i]) : as_rusage(times[i]);
    }
}

static jlong of_one(JNIEnv *env, jclass thread_impl, jlong id, enum native native, read_thread *read)
{
    jlong time;
    if (natives_is_probe(env, id))
        return PROBE_ANSWER;
    if (id <= 0) /* the agent is being detached right now */
        return ((native_of_one *)answer_jvms(native))(env, thread_impl, id);
    if (!read_registered(id, read, &time))
        read_unknown(env, thread_impl, native, read, &id, 1, &time);
    return time;
}

/* A function for a native, which calls another with its own arguments and these. */
#define ONE(name, of, ...)                                               \
    static jlong JNICALL name(JNIEnv *env, jclass thread_impl, jlong id) \
    {                                                                    \
        return of(env, thread_impl, id, __VA_ARGS__);                    \
    }
#define MANY(name, of, ...)                                                                     \
    static void JNICALL name(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times) \
    {                                                                                           \
        of(env, thread_impl, ids, times, __VA_ARGS__);                                          \
    }

/* True if this is the probe, which in an array is a single id. */
static bool is_probe(JNIEnv *env, const jlong *ids, jint count)
{
    return count == 1 && natives_is_probe(env, ids[0]);
}

static void read_chunk(JNIEnv *env, jclass thread_impl, enum native native, read_thread *read,
                       const jlong *ids, jint count, jlong *times)
{
    jlong unknown[CHUNK], unknown_times[CHUNK];
    jint places[CHUNK], unknown_count = 0;
    for (jint i = 0; i < count; i++) {
        if (!read_registered(ids[i], read, &times[i])) {
            unknown[unknown_count] = ids[i];
            places[unknown_count++] = i;
        }
    }
    if (unknown_count > 0)
        read_unknown(env, thread_impl, native, read, unknown, unknown_count, unknown_times);
    for (jint i = 0; i < unknown_count; i++)
        times[places[i]] = unknown_times[i];
}

static void of_many(JNIEnv *env, jclass thread_impl, jlongArray ids_array, jlongArray times_array,
                    enum native native, read_thread *read)
{
    jint length = ids_array != NULL && times_array != NULL ? (*env)->GetArrayLength(env, ids_array) : -1;
    if (length < 0 || (*env)->GetArrayLength(env, times_array) != length) {
        /* The JVM throws the right exception. */
        ((native_of_many *)natives_jvm(native))(env, thread_impl, ids_array, times_array);
        return;
    }
    jlong ids[CHUNK], times[CHUNK];
    for (jint from = 0; from < length; from += CHUNK) {
        jint count = length - from < CHUNK ? length - from : CHUNK;
        (*env)->GetLongArrayRegion(env, ids_array, from, count, ids);
        if (is_probe(env, ids, count))
            times[0] = PROBE_ANSWER;
        else
            read_chunk(env, thread_impl, native, read, ids, count, times);
        (*env)->SetLongArrayRegion(env, times_array, from, count, times);
    }
}

ONE(user_of_one, of_one, NATIVE_USER_OF_ONE, user_of)
ONE(total_of_one, of_one, NATIVE_TOTAL_OF_ONE, tc_threads_total_of)
MANY(user_of_many, of_many, NATIVE_USER_OF_MANY, user_of)
MANY(total_of_many, of_many, NATIVE_TOTAL_OF_MANY, tc_threads_total_of)

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
    static void *const ours[NATIVES] = {
        [NATIVE_USER_OF_ONE] = (void *)user_of_one, [NATIVE_USER_OF_MANY] = (void *)user_of_many,
        [NATIVE_TOTAL_OF_ONE] = (void *)total_of_one, [NATIVE_TOTAL_OF_MANY] = (void *)total_of_many};
    return native_is_user(native) || options->total != TOTAL_JVM ? ours[native] : NULL;
}

/*
 * What threadclock has shown of a thread; 0: nothing, or unknown; -1: it has ended, maybe before the JVM
 * knows.
 */
static jlong shown(enum native native, jlong id)
{
    struct threadclock_times seen;
    if (id == 0) {
        tc_own_seen(&seen);
    } else {
        int error = tc_threads_seen((uint64_t)id, &seen);
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
static inline jlong raised_of_one(JNIEnv *env, jclass thread_impl, jlong id, enum native native)
{
    if (natives_is_probe(env, id))
        return PROBE_ANSWER;
    jlong shown_ns = shown(native, id);
    return at_least(shown_ns, ((native_of_one *)natives_jvm(native))(env, thread_impl, id));
}

static void raised_of_many(JNIEnv *env, jclass thread_impl, jlongArray ids_array, jlongArray times_array,
                           enum native native)
{
    jlong ids[CHUNK], times[CHUNK];
    jint length = ids_array != NULL && times_array != NULL ? (*env)->GetArrayLength(env, ids_array) : 0;
    if (length == 1) {
        (*env)->GetLongArrayRegion(env, ids_array, 0, 1, ids);
        if (is_probe(env, ids, 1)) {
            (*env)->SetLongArrayRegion(env, times_array, 0, 1, &PROBE_ANSWER);
            return;
        }
    }
    ((native_of_many *)natives_jvm(native))(env, thread_impl, ids_array, times_array);
    for (jint from = 0; from < length && !(*env)->ExceptionCheck(env); from += CHUNK) {
        jint count = length - from < CHUNK ? length - from : CHUNK;
        (*env)->GetLongArrayRegion(env, ids_array, from, count, ids);
        (*env)->GetLongArrayRegion(env, times_array, from, count, times);
        for (jint i = 0; i < count; i++)
            times[i] = times[i] < 0 ? -1 : at_least(shown(native, ids[i]), times[i]);
        (*env)->SetLongArrayRegion(env, times_array, from, count, times);
    }
}

ONE(raised_user_of_one, raised_of_one, NATIVE_USER_OF_ONE)
ONE(raised_total_of_one, raised_of_one, NATIVE_TOTAL_OF_ONE)
MANY(raised_user_of_many, raised_of_many, NATIVE_USER_OF_MANY)
MANY(raised_total_of_many, raised_of_many, NATIVE_TOTAL_OF_MANY)

void *answer_jvms(enum native native)
{
    static void *const raised[NATIVES] = {
        [NATIVE_USER_OF_ONE] = (void *)raised_user_of_one,
        [NATIVE_USER_OF_MANY] = (void *)raised_user_of_many,
        [NATIVE_TOTAL_OF_ONE] = (void *)raised_total_of_one,
        [NATIVE_TOTAL_OF_MANY] = (void *)raised_total_of_many};
    return raised[native];
}
