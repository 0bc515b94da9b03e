/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the lab: asks HotSpot for the events of virtual threads that accounting needs, but ignores them. This
 * shows the minimum cost of accounting through JVMTI.
 */
#include <jvmti.h>
#include <string.h>

/* What jvmti.h has from JDK 21 on. */
enum { VIRTUAL_THREAD_START = 87, VIRTUAL_THREAD_END = 88, CAN_SUPPORT_VIRTUAL_THREADS = 44 /* its bit */ };

static struct {
    jvmtiEnv *jvmti;
    jint mount, unmount; /* 0 if the JVM lacks the event */
} events;

static void JNICALL on_life(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)env;
    (void)thread;
}

static void JNICALL on_switch(jvmtiEnv *jvmti, ...)
{
    (void)jvmti;
}

static void find_switches(jvmtiEnv *jvmti)
{
    jint count = 0;
    jvmtiExtensionEventInfo *infos = NULL;
    (*jvmti)->GetExtensionEvents(jvmti, &count, &infos);
    for (jint i = 0; i < count; i++) {
        if (strcmp(infos[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            events.mount = infos[i].extension_event_index;
        if (strcmp(infos[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            events.unmount = infos[i].extension_event_index;
    }
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    void *callbacks[VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL + 1] = {NULL};
    callbacks[VIRTUAL_THREAD_START - JVMTI_MIN_EVENT_TYPE_VAL] = (void *)on_life;
    callbacks[VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL] = (void *)on_life;
    if ((*vm)->GetEnv(vm, (void **)&events.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    find_switches(events.jvmti);
    (*events.jvmti)->SetExtensionEventCallback(events.jvmti, events.mount, on_switch);
    (*events.jvmti)->SetExtensionEventCallback(events.jvmti, events.unmount, on_switch);
    (*events.jvmti)->SetEventCallbacks(events.jvmti, (jvmtiEventCallbacks *)callbacks, sizeof callbacks);
    return JNI_VERSION_1_8;
}

/* False if this JVM does not send the events. */
JNIEXPORT jboolean JNICALL Java_VirtualCosts_setEvents(JNIEnv *env, jclass owner, jboolean on)
{
    (void)env;
    (void)owner;
    const jint wanted[] = {VIRTUAL_THREAD_START, VIRTUAL_THREAD_END, events.mount, events.unmount};
    jvmtiCapabilities capability;
    jvmtiError error = JVMTI_ERROR_NONE;
    memset(&capability, 0, sizeof capability);
    ((unsigned char *)&capability)[CAN_SUPPORT_VIRTUAL_THREADS / 8] =
        1 << (CAN_SUPPORT_VIRTUAL_THREADS % 8);
    if (on)
        error = (*events.jvmti)->AddCapabilities(events.jvmti, &capability);
    for (int i = 0; i < 4 && error == JVMTI_ERROR_NONE; i++)
        error = (*events.jvmti)->SetEventNotificationMode(events.jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                                          (jvmtiEvent)wanted[i], NULL);
    if (!on)
        (*events.jvmti)->RelinquishCapabilities(events.jvmti, &capability);
    return error == JVMTI_ERROR_NONE;
}
