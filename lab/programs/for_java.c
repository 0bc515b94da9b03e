/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lab's Java programs need of JVMTI and the kernel. Reads loads it as an agent, for a thread's CPU
 * time by GetThreadCpuTime; VirtualCosts loads it as a library, for the kernel's clock of a carrier, and for
 * the events of virtual threads that accounting needs, which it ignores: the minimum cost of accounting
 * through JVMTI. ScrapeCost compares with the system calls that nobody who reads its threads can do without.
 */
#include <fcntl.h>
#include <jvmti.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What jvmti.h has from JDK 21 on. */
enum { VIRTUAL_THREAD_START = 87, VIRTUAL_THREAD_END = 88, CAN_SUPPORT_VIRTUAL_THREADS = 44 /* its bit */ };

static jvmtiEnv *jvmti;
static jint mount_event, unmount_event; /* 0 if the JVM lacks the event */

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    const jvmtiCapabilities wanted = {.can_get_thread_cpu_time = 1};
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

/* In nanoseconds; -1 if the JVM refused. */
JNIEXPORT jlong JNICALL Java_Reads_jvmtiNanos(JNIEnv *env, jclass owner, jthread thread)
{
    jlong nanos = -1;
    return (*jvmti)->GetThreadCpuTime(jvmti, thread, &nanos) == JVMTI_ERROR_NONE ? nanos : -1;
}

static jlong clock_ns(long id)
{
    struct timespec ts = {0, 0};
    syscall(SYS_clock_gettime, id, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Of the thread that calls, which for a virtual thread is its carrier. */
JNIEXPORT jlong JNICALL Java_VirtualCosts_threadNanos(JNIEnv *env, jclass owner)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void JNICALL on_life(jvmtiEnv *unused, JNIEnv *env, jthread thread)
{
}

static void JNICALL on_switch(jvmtiEnv *unused, ...)
{
}

static void find_switches(void)
{
    jint count = 0;
    jvmtiExtensionEventInfo *infos = NULL;
    (*jvmti)->GetExtensionEvents(jvmti, &count, &infos);
    for (jint i = 0; i < count; i++) {
        if (strcmp(infos[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            mount_event = infos[i].extension_event_index;
        if (strcmp(infos[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            unmount_event = infos[i].extension_event_index;
    }
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    void *callbacks[VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL + 1] = {NULL};
    callbacks[VIRTUAL_THREAD_START - JVMTI_MIN_EVENT_TYPE_VAL] = (void *)on_life;
    callbacks[VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL] = (void *)on_life;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    find_switches();
    (*jvmti)->SetExtensionEventCallback(jvmti, mount_event, on_switch);
    (*jvmti)->SetExtensionEventCallback(jvmti, unmount_event, on_switch);
    (*jvmti)->SetEventCallbacks(jvmti, (jvmtiEventCallbacks *)callbacks, sizeof callbacks);
    return JNI_VERSION_1_8;
}

/* False if this JVM does not send the events. */
JNIEXPORT jboolean JNICALL Java_VirtualCosts_enableEvents(JNIEnv *env, jclass owner)
{
    const jint wanted[] = {VIRTUAL_THREAD_START, VIRTUAL_THREAD_END, mount_event, unmount_event};
    jvmtiCapabilities capability;
    memset(&capability, 0, sizeof capability);
    ((unsigned char *)&capability)[CAN_SUPPORT_VIRTUAL_THREADS / 8] =
        1 << (CAN_SUPPORT_VIRTUAL_THREADS % 8);
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &capability);
    for (int i = 0; i < 4 && error == JVMTI_ERROR_NONE; i++)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)wanted[i], NULL);
    return error == JVMTI_ERROR_NONE;
}

enum { PROF, VIRT, SCHED };

static jlong thread_ns(jint tid, int which)
{
    return clock_ns((long)(~(uint32_t)tid << 3 | 4 | which) | ~0xffffffffL);
}

static jlong waited(jint tid)
{
    char path[48], text[80];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(file, text, sizeof text);
    close(file);
    return got;
}

JNIEXPORT jlong JNICALL Java_ScrapeCost_own(JNIEnv *env, jclass class)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Reads the clock of each of these threads, and of the first ones, which ran, the two that split it and their
 * wait; the CPU time that this took, in nanoseconds.
 */
JNIEXPORT jlong JNICALL Java_ScrapeCost_bare(JNIEnv *env, jclass class, jintArray threads, jint ran)
{
    jint count = (*env)->GetArrayLength(env, threads);
    jint *tids = (*env)->GetIntArrayElements(env, threads, NULL);
    volatile jlong sum = 0;
    jlong before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (jint i = 0; i < count; i++) {
        sum += thread_ns(tids[i], SCHED);
        if (i < ran)
            sum += thread_ns(tids[i], VIRT) + thread_ns(tids[i], PROF) + waited(tids[i]);
    }
    jlong used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    (*env)->ReleaseIntArrayElements(env, threads, tids, JNI_ABORT);
    return used;
}
