/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How natives of Java classes are written, and how those of dev.threadclock.internal.Native are bound, for
 * the library itself (jni.c) and for the small one that hands over to it (handover.c).
 */
#ifndef TC_JAVA_BINDING_H
#define TC_JAVA_BINDING_H

#include <jni.h>
#include <stdbool.h>

#include "sys.h"

/*
 * Declares a native, which the JVM finds by its symbol, and begins its definition. With a semicolon after it:
 * a declaration.
 */
#define TC_NATIVE(type, symbol, ...)                                          \
    JNIEXPORT type JNICALL symbol(JNIEnv *env, jclass caller, ##__VA_ARGS__); \
    JNIEXPORT type JNICALL symbol(JNIEnv *env, jclass caller, ##__VA_ARGS__)

/* METHOD(name, signature) for each of the class's natives. */
#define STRING_TO_STRING "(Ljava/lang/String;)Ljava/lang/String;"
#define JAVA_METHODS(METHOD)                             \
    METHOD(userTickNanos, "()J")                         \
    METHOD(userNowNanos, "()J")                          \
    METHOD(systemTickNanos, "()J")                       \
    METHOD(systemNowNanos, "()J")                        \
    METHOD(totalTickNanos, "()J")                        \
    METHOD(totalNowNanos, "()J")                         \
    METHOD(totalInterpolatedNanos, "()J")                \
    METHOD(tickLengthNanos, "()J")                       \
    METHOD(coarseMonotonicNanos, "()J")                  \
    METHOD(timesTick, "(J)I")                            \
    METHOD(timesNow, "(J)I")                             \
    METHOD(intervalBegin, "(J)I")                        \
    METHOD(intervalEnd, "(J)I")                          \
    METHOD(intervalSoFar, "(Ljava/lang/Thread;JJ)I")     \
    METHOD(processTimes, "(J)I")                         \
    METHOD(tidTimes, "(IJ)I")                            \
    METHOD(allThreads, "(JI[Ljava/lang/Thread;[Ljava/lang/Thread;)I") \
    METHOD(readThreads, "([Ljava/lang/Thread;)[Ljava/lang/Object;") \
    METHOD(waitedNanos, "(I)J")                          \
    METHOD(tid, "(Ljava/lang/Thread;)I")                 \
    METHOD(threadTimes, "(Ljava/lang/Thread;J)I")        \
    METHOD(describe, "(II[J)Ljava/lang/String;")         \
    METHOD(version, "()Ljava/lang/String;")              \
    METHOD(addressOf, "(Ljava/nio/Buffer;)J")            \
    METHOD(findThreads, "()V")                           \
    METHOD(virtualNanos, "(JII)J")                       \
    METHOD(virtualTimes, "(JIJ)I")                       \
    METHOD(virtualBegin, "(JJ)I")                        \
    METHOD(virtualEnd, "(JJ)I")                          \
    METHOD(virtualSoFar, "(Ljava/lang/Thread;JJ)I")      \
    METHOD(virtualThreadTimes, "(Ljava/lang/Thread;J)I") \
    METHOD(virtualOn, "(I)Ljava/lang/String;")           \
    METHOD(virtualOff, "(I)V")                           \
    METHOD(virtualClock, "()I")                          \
    METHOD(virtualGroups, "([J)[Ljava/lang/String;")     \
    METHOD(pool, STRING_TO_STRING)                       \
    METHOD(fullName, STRING_TO_STRING)                   \
    METHOD(account, "(J[Ljava/lang/Thread;[J[Ljava/lang/String;)I") \
    METHOD(exportKeys, "(Ljava/lang/String;Ljava/util/function/Supplier;)V")

/*
 * Binds the natives of a class to the copy of the library that was loaded first, else to the functions given,
 * in the order of JAVA_METHODS. False: there is no other copy and no function is given, or an exception is
 * pending.
 */
TC_INTERNAL bool java_binding_make(JNIEnv *env, jclass natives, void *const *own);

/* The native of NativeLibrary that does so with this library's own functions. */
JNIEXPORT void JNICALL Java_dev_threadclock_internal_NativeLibrary_bind(JNIEnv *env, jclass caller,
                                                                        jclass natives);

/*
 * The JVM finds natives by the name of their class, which differs where a build tool has renamed the package.
 * The file is then called libthreadclock.so@ and the class's present name (NativeLibrary.java). Binds one
 * native of that class. If that fails, the native stays unbound, which its caller reports.
 */
TC_INTERNAL void java_binding_of_renamed(JNIEnv *env, const char *name, const char *signature,
                                         void *function);

#endif
