/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds the natives of dev.threadclock.internal.Native to the one library of the process, and gives addresses
 * to FFM.
 */
#include <jni.h>
#include <string.h>

#include "instance.h"
#include "java_natives.h"
#include "threadclock.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_threadclock_internal_Native_##name

/* Every copy of the library has these names; the names of the class's methods match its functions. */
#define PREFIX "Java_dev_threadclock_internal_Native_"

static const struct {
    const char *name, *signature;
} natives[] = {
    {"userTickNanos", "()J"},     {"userNowNanos", "()J"},   {"systemTickNanos", "()J"},
    {"systemNowNanos", "()J"},    {"totalTickNanos", "()J"}, {"totalNowNanos", "()J"},
    {"totalInterpolatedNanos", "()J"},
    {"timesTick", "(J)I"},        {"timesNow", "(J)I"},      {"taskTick", "(J)I"},
    {"processTimes", "(J)I"},
    {"tidTimes", "(IJ)I"},        {"allThreads", "(JI)I"},   {"tid", "(Ljava/lang/Thread;)I"},
    {"threadTimes", "(Ljava/lang/Thread;J)I"},
    {"describe", "(IIJ)I"},       {"sourceName", "(II)Ljava/lang/String;"},
    {"address", "(Ljava/lang/String;)J"}, {"findThreads", "()V"},
};

/* Called once by the class, after this copy has been loaded. An exception may be pending. */
NATIVE(void, bind)(JNIEnv *env, jclass class);
NATIVE(void, bind)(JNIEnv *env, jclass class)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        char symbol[128] = PREFIX;
        strcat(symbol, natives[i].name);
        void *first = instance_first(symbol);
        JNINativeMethod method = {(char *)(uintptr_t)natives[i].name, (char *)(uintptr_t)natives[i].signature, first};
        if (first == NULL || (*env)->RegisterNatives(env, class, &method, 1) != JNI_OK)
            return;
    }
}

static const struct {
    const char *name;
    void *function;
} functions[] = {
#define FUNCTION(name) {#name, (void *)name}
    FUNCTION(threadclock_user_tick_ns),   FUNCTION(threadclock_user_now_ns),   FUNCTION(threadclock_system_tick_ns),
    FUNCTION(threadclock_system_now_ns),  FUNCTION(threadclock_total_tick_ns), FUNCTION(threadclock_total_now_ns),
    FUNCTION(threadclock_total_interpolated_ns),
    FUNCTION(threadclock_times_tick),     FUNCTION(threadclock_times_now),     FUNCTION(tc_task_tick),
};

NATIVE(jlong, address)(JNIEnv *env, jclass class, jstring name);
NATIVE(jlong, address)(JNIEnv *env, jclass class, jstring name)
{
    (void)class;
    const char *wanted = (*env)->GetStringUTFChars(env, name, NULL);
    jlong address = 0;
    for (size_t i = 0; wanted != NULL && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, wanted) == 0)
            address = (jlong)(intptr_t)functions[i].function;
    if (wanted != NULL)
        (*env)->ReleaseStringUTFChars(env, name, wanted);
    return address;
}
