/* SPDX-License-Identifier: Apache-2.0 */
/* What C asks of Java classes, and threads and frames for it. */
#ifndef TC_JAVA_CALLS_H
#define TC_JAVA_CALLS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/*
 * The boot loader's class of this name, "java.lang.Thread"; null: there is none, and no exception is pending.
 * JNI's FindClass would ask the application's class loader, which may run or wait for any code.
 */
TC_INTERNAL jclass boot_class(JNIEnv *env, const char *name, bool initialized);

/* The same of a class loader. */
TC_INTERNAL jclass class_of(JNIEnv *env, const char *name, bool initialized, jobject loader);

/* True: the boot loader's class with this signature, "Ljava/lang/Thread;". */
TC_INTERNAL bool boot_class_is(jvmtiEnv *jvmti, jclass class, const char *signature);

/* That class if it is loaded; otherwise null. Looks at all loaded classes. */
TC_INTERNAL jclass boot_class_loaded(jvmtiEnv *jvmti, JNIEnv *env, const char *signature);

/*
 * Gives a global reference to such a class, or an instance field of one, "Ljava/lang/String;", which
 * initializes the class; null if there is none. False: that is not known, because the JVM is out of memory or
 * a security manager forbids it. Then nothing is given, and a later call may succeed.
 */
TC_INTERNAL bool boot_class_keep(JNIEnv *env, const char *name, jclass *kept);
TC_INTERNAL bool boot_field(JNIEnv *env, const char *class_name, const char *name, const char *signature,
                            jfieldID *field);

/* A new object of such a class; null: an exception may be pending, perhaps from before. */
TC_INTERNAL jobject boot_object(JNIEnv *env, const char *class_name, const char *signature,
                                const jvalue *arguments);

/* Binds natives of such a class without a warning in the JVM's log. False: it is refused. */
TC_INTERNAL bool boot_class_register(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint count);

/*
 * Copies a string as modified UTF-8, truncated after a whole character if it is longer than size bytes, fills
 * the rest with zeros, and deletes the reference. False: it is null; text is unchanged.
 */
TC_INTERNAL bool boot_text(JNIEnv *env, jstring string, char *text, size_t size);

/*
 * A frame for local references, as many as JVMTI's long lists need: -Xcheck:jni warns of more than announced.
 * False: no memory; no exception is pending.
 */
TC_INTERNAL bool local_frame_push(JNIEnv *env);

/* Drops all references except this one (may be null), which it returns. */
TC_INTERNAL jobject local_frame_pop(JNIEnv *env, jobject kept);

/*
 * Starts a daemon thread of the agent's, which Java code can see only in the list of all threads. Live phase;
 * runs the constructor of java.lang.Thread.
 */
TC_INTERNAL jvmtiError agent_thread_start(jvmtiEnv *jvmti, JNIEnv *env, const char *name,
                                          jvmtiStartFunction function, void *argument);

#endif
