/* SPDX-License-Identifier: Apache-2.0 */
/* Another agent that binds a native of ThreadImpl to a function of its own, for the child program Rival.
 * While somebody else binds the native, it lets another thread call it until the JVM compiles it. */
#define _GNU_SOURCE
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { RIVALS_ANSWER = 42 };

static const char native_name[] = "getThreadUserCpuTime0";

static jvmtiEnv *jvmti;
static jclass thread_impl;
static atomic_int armed, calls_may_begin;

static jlong JNICALL rivals_answer(JNIEnv *env, jclass class, jlong id)
{
    return RIVALS_ANSWER;
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Runs before the new function is stored. The caller continues after the other thread has called the native
 * for some microseconds. */
static void JNICALL on_native_method_bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                          void *address, void **new_address)
{
    char *name = NULL;
    int wait_us = atomic_load(&armed);
    if (address == (void *)rivals_answer || wait_us == 0
        || (*env)->GetMethodName(env, method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return;
    if (strcmp(name, native_name) == 0) {
        atomic_store(&armed, 0);
        atomic_store(&calls_may_begin, 1);
        for (long long end = now_ns() + wait_us * 1000LL; now_ns() < end;)
            ;
    }
    (*env)->Deallocate(env, (unsigned char *)name);
}

/* False if it cannot be done here. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_prepare(JNIEnv *env, jclass caller,
                                                                          jclass class)
{
    JavaVM *vm;
    jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_native_method_bind};
    thread_impl = (*env)->NewGlobalRef(env, class);
    return (*env)->GetJavaVM(env, &vm) == JNI_OK
           && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK
           && (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL)
                  == JVMTI_ERROR_NONE;
}

/* Binds the native to the rival's answer. The next one that binds it is delayed by this time, unless it is 0,
 * after calls may begin. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_take(JNIEnv *env, jclass caller,
                                                                       jint wait_us)
{
    JNINativeMethod method = {(char *)native_name, "(J)J", (void *)rivals_answer};
    atomic_store(&calls_may_begin, 0);
    jboolean taken = (*env)->RegisterNatives(env, thread_impl, &method, 1) == JNI_OK;
    atomic_store(&armed, wait_us);
    return taken;
}

JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_callsMayBegin(JNIEnv *env, jclass caller)
{
    return (jboolean)atomic_load(&calls_may_begin);
}
