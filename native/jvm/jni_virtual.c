/* SPDX-License-Identifier: Apache-2.0 */
/* The natives for virtual threads. A failure is -1, or a negative errno, never a carrier's time. */
#include <errno.h>
#include <jni.h>

#include "java_natives.h"
#include "virtual_accounting.h"
#include "virtual_groups.h"
#include "virtual_threads.h"

/* Begins the account of a thread that was mounted when accounting began. */
static int own_times(JNIEnv *env, jlong id, jint freshness, struct tc_virtual_times *times)
{
    int error = tc_virtual_own_times((uint64_t)id, (enum threadclock_freshness)freshness, times);
    if (error != -ENOENT)
        return error;
    virtual_accounting_adopt(env);
    return tc_virtual_own_times((uint64_t)id, (enum threadclock_freshness)freshness, times);
}

TC_VIRTUAL_NATIVE(jlong, virtualNanos, jlong id, jint quantity, jint freshness)
{
    (void)caller;
    struct tc_virtual_times times;
    if (own_times(env, id, freshness, &times) != 0)
        return -1;
    return quantity == THREADCLOCK_USER     ? times.times.user_ns
           : quantity == THREADCLOCK_SYSTEM ? times.times.system_ns
                                            : times.times.total_ns;
}

/* The five longs that are stored at an address. */
struct stored {
    struct threadclock_times times;
    int64_t account, whole;
};

static int store(int error, const struct tc_virtual_times *times, jlong address)
{
    struct stored *stored = (struct stored *)address;
    if (error != 0)
        return error;
    stored->times = times->times;
    stored->account = (int64_t)times->account;
    stored->whole = times->whole;
    return 0;
}

TC_VIRTUAL_NATIVE(jint, virtualTimes, jlong id, jint freshness, jlong address)
{
    (void)caller;
    struct tc_virtual_times times;
    return store(own_times(env, id, freshness, &times), &times, address);
}

/* An interval: the times at its beginning and their account; 0: it has none, and its end fails. */
TC_VIRTUAL_NATIVE(jint, virtualBegin, jlong id, jlong address)
{
    (void)caller;
    struct tc_virtual_times times = {.account = 0};
    int error = tc_virtual_clock() == THREADCLOCK_TICK ? -EOPNOTSUPP
                                                       : own_times(env, id, THREADCLOCK_INTERPOLATED, &times);
    if (error != 0)
        times.account = 0;
    store(0, &times, address);
    return error;
}

/*
 * The difference, if the account is still the same and its clock precise. In an account, user + system =
 * total.
 */
static int difference(int error, const struct tc_virtual_times *now, jlong begun, jlong address)
{
    const struct stored since = *(const struct stored *)begun;
    if (error == 0 && tc_virtual_clock() == THREADCLOCK_TICK)
        error = -EOPNOTSUPP;
    if (error == 0 && (since.account == 0 || since.account != (int64_t)now->account))
        error = -ESTALE;
    if (error == 0)
        *(struct threadclock_times *)address = (struct threadclock_times){
            now->times.user_ns - since.times.user_ns, now->times.system_ns - since.times.system_ns,
            now->times.total_ns - since.times.total_ns};
    return error;
}

TC_VIRTUAL_NATIVE(jint, virtualEnd, jlong id, jlong address)
{
    (void)caller;
    struct tc_virtual_times now;
    return difference(own_times(env, id, THREADCLOCK_INTERPOLATED, &now), &now, address, address);
}

/* Of any thread; the interval may end meanwhile: the caller then discards the result. */
TC_VIRTUAL_NATIVE(jint, virtualSoFar, jobject thread, jlong begun, jlong address)
{
    (void)caller;
    struct tc_virtual_times now;
    return difference(virtual_accounting_times(env, thread, &now), &now, begun, address);
}

TC_VIRTUAL_NATIVE(jint, virtualThreadTimes, jobject thread, jlong address)
{
    (void)caller;
    struct tc_virtual_times times;
    return store(virtual_accounting_times(env, thread, &times), &times, address);
}

/* Null, or why accounting is impossible. */
TC_VIRTUAL_NATIVE(jstring, virtualOn, jint clock)
{
    (void)caller;
    char problem[512];
    JavaVM *vm;
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK)
        return (*env)->NewStringUTF(env, "the JVM is ending");
    int error = virtual_accounting_on(vm, (enum threadclock_freshness)clock, problem, sizeof problem);
    return error == 0 ? NULL : (*env)->NewStringUTF(env, problem);
}

TC_VIRTUAL_NATIVE(void, virtualOff, jint clock)
{
    (void)env;
    (void)caller;
    virtual_accounting_off((enum threadclock_freshness)clock);
}

/* The clock's ordinal; -1: accounting is off. */
TC_VIRTUAL_NATIVE(jint, virtualClock)
{
    (void)env;
    (void)caller;
    return tc_virtual_epoch() != 0 ? (jint)tc_virtual_clock() : -1;
}

/* The values of a group, in the order of VirtualGroups.java. */
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

_Static_assert(TC_VIRTUAL_GROUPS == 128, "VirtualGroups.MOST");

TC_VIRTUAL_NATIVE(jobjectArray, virtualGroups, jlongArray values)
{
    (void)caller;
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    struct group_values written[TC_VIRTUAL_GROUPS];
    uint32_t count = tc_virtual_groups(groups);
    for (uint32_t i = 0; i < count; i++)
        written[i] = (struct group_values){groups[i].threads, groups[i].mounted, groups[i].times.user_ns,
                                           groups[i].times.total_ns};
    (*env)->SetLongArrayRegion(env, values, 0, (jsize)(count * (sizeof *written / sizeof(jlong))),
                               (const jlong *)written);
    return (*env)->ExceptionCheck(env) ? NULL : names_of(env, groups, count);
}
