/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lab's Java programs need of JVMTI and the kernel. Reads loads it as an agent, for a thread's CPU
 * time by GetThreadCpuTime; VirtualCosts loads it as a library, for the kernel's clock of a carrier, and for
 * the events of virtual threads that accounting needs, which it ignores: the minimum cost of accounting
 * through JVMTI.
 */
#include <jvmti.h>
#include <string.h>
#include <time.h>

/* What jvmti.h has from JDK 21 on. */
enum { VIRTUAL_THREAD_START = 87, VIRTUAL_THREAD_END = 88, CAN_SUPPORT_VIRTUAL_THREADS = 44 /* its bit */ };

static jvmtiEnv *jvmti;
static jint mount_event, unmount_event; /* 0 if the JVM lacks the event */

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    const jvmtiCapabilities wanted = {.can_get_thread_cpu_time = 1};
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

/* In nanoseconds; -1 if the JVM refused. */
JNIEXPORT jlong JNICALL Java_Reads_jvmtiNanos(JNIEnv *env, jclass owner, jthread thread)
{
    (void)env;
    (void)owner;
    jlong nanos = -1;
    return (*jvmti)->GetThreadCpuTime(jvmti, thread, &nanos) == JVMTI_ERROR_NONE ? nanos : -1;
}

/* Of the thread that calls, which for a virtual thread is its carrier. */
JNIEXPORT jlong JNICALL Java_VirtualCosts_threadNanos(JNIEnv *env, jclass owner)
{
    (void)env;
    (void)owner;
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void JNICALL on_life(jvmtiEnv *unused, JNIEnv *env, jthread thread)
{
    (void)unused;
    (void)env;
    (void)thread;
}

static void JNICALL on_switch(jvmtiEnv *unused, ...)
{
    (void)unused;
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
    (void)reserved;
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
    (void)env;
    (void)owner;
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
