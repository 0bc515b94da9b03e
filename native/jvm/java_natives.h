/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Java binding share. */
#ifndef TC_JAVA_NATIVES_H
#define TC_JAVA_NATIVES_H

#include <jni.h>

#include "sys.h"

/* jni_virtual.c: the natives for virtual threads. */
#define TC_VIRTUAL_NATIVE(type, name, ...) \
    JNIEXPORT type JNICALL Java_dev_threadclock_internal_Native_##name(JNIEnv *env, jclass caller, \
                                                                       ##__VA_ARGS__)

TC_VIRTUAL_NATIVE(jlong, virtualNanos, jlong id, jint quantity, jint freshness);
TC_VIRTUAL_NATIVE(jint, virtualTimes, jlong id, jint freshness, jlong address);
TC_VIRTUAL_NATIVE(jint, virtualBegin, jlong id, jlong address);
TC_VIRTUAL_NATIVE(jint, virtualEnd, jlong id, jlong address);
TC_VIRTUAL_NATIVE(jint, virtualSoFar, jobject thread, jlong begun, jlong address);
TC_VIRTUAL_NATIVE(jint, virtualThreadTimes, jobject thread, jlong address);
TC_VIRTUAL_NATIVE(jstring, virtualOn, jint clock);
TC_VIRTUAL_NATIVE(void, virtualOff, jint clock);
TC_VIRTUAL_NATIVE(jint, virtualClock);
TC_VIRTUAL_NATIVE(jobjectArray, virtualGroups, jlongArray values);

/* ended_threads.c */
JNIEXPORT jobjectArray JNICALL Java_dev_threadclock_internal_Native_endedThreads(JNIEnv *env, jclass caller,
                                                                                jlongArray values);

#endif
