/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of dev.threadclock.internal.Native, and how they are bound. A failure is -1, or a negative
 * errno; a virtual thread never gets a carrier's time.
 */
#include <errno.h>
#include <jni.h>
#include <string.h>

#include "hotspot_names.h"
#include "instance.h"
#include "interval.h"
#include "java_binding.h"
#include "java_calls.h"
#include "java_threads.h"
#include "proc_stat.h"
#include "threadclock.h"
#include "threads.h"
#include "tick.h"
#include "virtual_accounting.h"
#include "virtual_threads.h"
#include "vm_structs.h"

#define NATIVE(type, name, ...) \
    TC_NATIVE(type, Java_dev_threadclock_internal_Native_##name, ##__VA_ARGS__)

/* Each native is one call into the core. */
#define NATIVE_NANOS(name, read)            \
    NATIVE(jlong, name)                     \
    {                                       \
        int64_t ns = read();                \
        return ns < 0 ? -1 : (jlong)ns;     \
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
#define NATIVE_TIMES(name, read)                            \
    NATIVE(jint, name, jlong address)                       \
    {                                                       \
        return read((struct threadclock_times *)address);   \
    }

NATIVE_TIMES(timesTick, threadclock_times_tick)
NATIVE_TIMES(timesNow, threadclock_times_now)
NATIVE_TIMES(processTimes, threadclock_process_times)

/*
 * What is at the address of an interval. Its end keeps the beginning, which another thread may be reading.
 * In an interval, user + system = total.
 */
struct kept_interval {
    union {
        struct threadclock_interval begun;
        struct tc_virtual_times virtual_begun;
    };
    int64_t user_ns, system_ns;
};
_Static_assert(sizeof(struct kept_interval) == 8 * sizeof(jlong), "a piece of NativeMemory");

static int keep(int error, jlong address, const struct threadclock_times *used)
{
    struct kept_interval *interval = (struct kept_interval *)address;
    if (error == 0)
        interval->user_ns = used->user_ns, interval->system_ns = used->system_ns;
    return error;
}

typedef uint64_t word __attribute__((may_alias));
enum { BEGUN_WORDS = sizeof(struct threadclock_interval) / sizeof(word) };
_Static_assert(sizeof(struct tc_virtual_times) <= BEGUN_WORDS * sizeof(word), "no word is left out");

/*
 * Replaces the beginning at the address, which another thread may be reading. Whoever sees a new word also
 * sees what Java has stored before: that the old interval has ended.
 */
static void store_begun(jlong address, const struct kept_interval *interval)
{
    const word *from = (const word *)interval;
    word *to = (word *)address;
    for (int i = 0; i < BEGUN_WORDS; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
}

NATIVE(jint, intervalBegin, jlong address)
{
    struct kept_interval interval;
    int error = threadclock_interval_begin(&interval.begun);
    store_begun(address, &interval);
    return error;
}

NATIVE(jint, intervalEnd, jlong address)
{
    struct threadclock_times used;
    int error = threadclock_interval_end((const struct threadclock_interval *)address, &used);
    return keep(error, address, &used);
}

NATIVE(jlong, addressOf, jobject buffer)
{
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

NATIVE(jint, tidTimes, jint tid, jlong address)
{
    return threadclock_tid_times(tid, (struct threadclock_times *)address);
}

NATIVE(jlong, waitedNanos, jint tid)
{
    int64_t waited_ns = tc_run_queue_waited_ns(tid == 0 ? tc_own_tid() : tid, 0);
    return waited_ns < 0 ? -1 : (jlong)waited_ns;
}

/* Finds out how to get the TID of a Java thread in this JVM. Call it once; until then there are no TIDs. */
NATIVE(void, findThreads)
{
    JavaVM *vm;
    void *libjvm = (*env)->GetJavaVM(env, &vm) == JNI_OK ? instance_libjvm(vm) : NULL;
    if (libjvm != NULL)
        vm_structs_find(libjvm);
    if (vm_structs_are_found())
        java_threads_prepare(env); /* here, because a security manager may forbid it to other callers */
}

NATIVE(jint, tid, jobject thread)
{
    uint64_t eetop;
    return java_threads_tid(env, thread, &eetop);
}

/*
 * By its registration, if the agent has registered it. Otherwise by its TID, which was its own throughout if
 * the thread is alive afterwards.
 */
static int thread_times(JNIEnv *env, jobject thread, struct threadclock_times *times)
{
    uint64_t eetop, id = java_threads_id(env, thread);
    if (id == 0)
        return -ENOSYS;
    int result = tc_threads_times_of(id, times);
    if (result != -ENOENT)
        return result;
    if (tc_known_java_thread_times(id, times) == 0)
        return java_threads_same(env, thread, 0) ? -ESRCH : 0;
    result = java_threads_tid(env, thread, &eetop);
    if (result > 0)
        result = tc_java_thread_times(result, id, times);
    return result == 0 && !java_threads_same(env, thread, eetop) ? -ESRCH : result;
}

NATIVE(jint, threadTimes, jobject thread, jlong address)
{
    struct threadclock_times times;
    int error = thread_times(env, thread, &times);
    if (error == 0)
        *(struct threadclock_times *)address = times;
    return error;
}

/* A copy, whole if no new interval has begun there meanwhile; otherwise the caller discards the result. */
static struct kept_interval begun_elsewhere(jlong address)
{
    struct kept_interval copy;
    const word *from = (const word *)address;
    word *to = (word *)&copy;
    for (int i = 0; i < BEGUN_WORDS; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
    return copy;
}

NATIVE(jint, intervalSoFar, jobject thread, jlong begun, jlong address)
{
    struct kept_interval interval = begun_elsewhere(begun);
    struct threadclock_times now;
    int error = thread_times(env, thread, &now);
    return error != 0 ? error
                      : tc_interval_elsewhere(&interval.begun, &now, (struct threadclock_times *)address);
}

NATIVE(jstring, describe, jint quantity, jint freshness, jlongArray values)
{
    struct threadclock_source source;
    if (threadclock_describe((enum threadclock_quantity)quantity, (enum threadclock_freshness)freshness,
                             &source)
        != 0)
        return NULL;
    const jlong described[] = {source.system_calls, source.resolution_ns, source.age_ns};
    (*env)->SetLongArrayRegion(env, values, 0, sizeof described / sizeof *described, described);
    return (*env)->NewStringUTF(env, source.name);
}

NATIVE(jstring, version)
{
    return (*env)->NewStringUTF(env, threadclock_version());
}

/* Begins the account of a thread that was mounted when accounting began. */
static int own_times(JNIEnv *env, jlong id, jint freshness, struct tc_virtual_times *times)
{
    int error = tc_virtual_own_times((uint64_t)id, (enum threadclock_freshness)freshness, times);
    if ((error == 0 || error == -ENOENT) && !virtual_accounting_holds(env))
        error = -ENOENT;
    if (error != -ENOENT)
        return error;
    virtual_accounting_adopt(env, (uint64_t)id);
    return tc_virtual_own_times((uint64_t)id, (enum threadclock_freshness)freshness, times);
}

NATIVE(jlong, virtualNanos, jlong id, jint quantity, jint freshness)
{
    struct tc_virtual_times times;
    if (own_times(env, id, freshness, &times) != 0)
        return -1;
    return quantity == THREADCLOCK_USER     ? times.times.user_ns
           : quantity == THREADCLOCK_SYSTEM ? times.times.system_ns
                                            : times.times.total_ns;
}

_Static_assert(sizeof(struct tc_virtual_times) == 5 * sizeof(jlong), "what Java reads at an address");

NATIVE(jint, virtualTimes, jlong id, jint freshness, jlong address)
{
    return own_times(env, id, freshness, (struct tc_virtual_times *)address);
}

/* An interval: the times at its beginning and their account; 0: it has none, and its end fails. */
NATIVE(jint, virtualBegin, jlong id, jlong address)
{
    struct kept_interval interval = {.begun = {{0}}};
    struct tc_virtual_times *begun = &interval.virtual_begun;
    int error = tc_virtual_clock() == THREADCLOCK_TICK ? -EOPNOTSUPP
                                                       : own_times(env, id, THREADCLOCK_INTERPOLATED, begun);
    if (error != 0)
        begun->account = 0;
    store_begun(address, &interval);
    return error;
}

/*
 * The difference, if the account is still the same and its clock precise. In an account, user + system =
 * total.
 */
static int difference(int error, const struct tc_virtual_times *now, const struct tc_virtual_times *since,
                      struct threadclock_times *used)
{
    if (error == 0 && tc_virtual_clock() == THREADCLOCK_TICK)
        error = -EOPNOTSUPP;
    if (error == 0 && (since->account == 0 || since->account != now->account))
        error = -ESTALE;
    if (error == 0)
        *used = (struct threadclock_times){now->times.user_ns - since->times.user_ns,
                                           now->times.system_ns - since->times.system_ns,
                                           now->times.total_ns - since->times.total_ns};
    return error;
}

NATIVE(jint, virtualEnd, jlong id, jlong address)
{
    struct tc_virtual_times now;
    struct threadclock_times used;
    int error = own_times(env, id, THREADCLOCK_INTERPOLATED, &now);
    return keep(difference(error, &now, (const struct tc_virtual_times *)address, &used), address, &used);
}

NATIVE(jint, virtualSoFar, jobject thread, jlong begun, jlong address)
{
    struct kept_interval interval = begun_elsewhere(begun);
    struct tc_virtual_times now;
    int error = virtual_accounting_times(env, thread, &now);
    return difference(error, &now, &interval.virtual_begun, (struct threadclock_times *)address);
}

NATIVE(jint, virtualThreadTimes, jobject thread, jlong address)
{
    return virtual_accounting_times(env, thread, (struct tc_virtual_times *)address);
}

/* Null, or why accounting is impossible. */
NATIVE(jstring, virtualOn, jint clock)
{
    char problem[512];
    JavaVM *vm;
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK)
        return (*env)->NewStringUTF(env, "the JVM is ending");
    int error = virtual_accounting_on(vm, (enum threadclock_freshness)clock, problem, sizeof problem);
    return error == 0 ? NULL : (*env)->NewStringUTF(env, problem);
}

NATIVE(void, virtualOff, jint clock)
{
    virtual_accounting_off((enum threadclock_freshness)clock);
}

/* The clock's ordinal; -1: accounting is off. */
NATIVE(jint, virtualClock)
{
    return tc_virtual_epoch() != 0 ? (jint)tc_virtual_clock() : -1;
}

/* The values of a group, in the order of CpuTimeEvents.java. */
struct group_values {
    jlong threads, mounted, user_ns, total_ns;
};

/* Null: an exception is pending. */
static jobjectArray names_of(JNIEnv *env, const struct tc_virtual_group *groups, uint32_t count)
{
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray names = string != NULL ? (*env)->NewObjectArray(env, (jsize)count, string, NULL) : NULL;
    for (uint32_t i = 0; i < count && names != NULL; i++) {
        jstring name = (*env)->NewStringUTF(env, groups[i].name);
        if (name == NULL)
            return NULL;
        (*env)->SetObjectArrayElement(env, names, (jsize)i, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return names;
}

_Static_assert(TC_VIRTUAL_GROUPS == 128, "Native.VIRTUAL_GROUPS");

NATIVE(jobjectArray, virtualGroups, jlongArray values)
{
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    struct group_values written[TC_VIRTUAL_GROUPS];
    uint32_t count = virtual_accounting_groups(env, groups);
    for (uint32_t i = 0; i < count; i++)
        written[i] = (struct group_values){groups[i].threads, groups[i].mounted, groups[i].times.user_ns,
                                           groups[i].times.total_ns};
    (*env)->SetLongArrayRegion(env, values, 0, (jsize)(count * (sizeof *written / sizeof(jlong))),
                               (const jlong *)written);
    return (*env)->ExceptionCheck(env) ? NULL : names_of(env, groups, count);
}

NATIVE(jstring, pool, jstring name)
{
    char text[TC_THREAD_NAME_BYTES], pool[TC_THREAD_NAME_BYTES];
    if (!boot_text(env, name, text, sizeof text))
        return NULL;
    tc_pool_name(text, pool, sizeof pool);
    return (*env)->NewStringUTF(env, pool);
}

NATIVE(jstring, fullName, jstring kernel_name)
{
    static const char *const names[] = {HOTSPOT_LONG_NAMES};
    enum { KERNEL_LENGTH = 15 };
    char text[TC_THREAD_NAME_BYTES];
    jobject given = (*env)->NewLocalRef(env, kernel_name);
    if (!boot_text(env, given, text, sizeof text) || strlen(text) != KERNEL_LENGTH)
        return kernel_name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(names[i], text, KERNEL_LENGTH) == 0)
            return (*env)->NewStringUTF(env, names[i]);
    return kernel_name;
}

/* key_sources.c */
NATIVE(void, exportKeys, jstring by, jobject source);

/* process_roster.c */
NATIVE(jint, allThreads, jlong address, jint capacity, jobjectArray live, jobjectArray found);
NATIVE(jobjectArray, readThreads, jobjectArray live);

/* process_account.c */
NATIVE(jint, account, jlong age_ns, jobjectArray live, jlongArray values, jobjectArray names);

#define METHOD(name, signature) (void *)Java_dev_threadclock_internal_Native_##name,

static void *const own_functions[] = {JAVA_METHODS(METHOD)};

/*
 * Binds the natives of a class: to the copy of this library that was loaded first, else to this one. An
 * exception may be pending afterwards.
 */
TC_NATIVE(void, Java_dev_threadclock_internal_NativeLibrary_bind, jclass natives)
{
    java_binding_make(env, natives, own_functions);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        java_binding_of_renamed(env, "bind", "(Ljava/lang/Class;)V",
                                (void *)Java_dev_threadclock_internal_NativeLibrary_bind);
    return JNI_VERSION_1_8;
}
