/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's Java classes, which serve metrics and supply events to Flight Recorder: those of -javaagent, or
 * of the jar beside this library. The latter are loaded when they are first needed, by a loader of their own
 * below the boot loader, so that class path, modules and archived classes (CDS, AOT) of the application stay
 * as they are.
 */
#ifndef TC_JAVA_SIDE_H
#define TC_JAVA_SIDE_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

struct java_side {
    JavaVM *vm;
    jobject loader;
    jclass agent_class;
    jmethodID serve, served, end;
};

/* Call it when the JVM loads the agent at its start: the jar may be looked for later. */
TC_INTERNAL void java_side_at_start(void);

/* The jar has been loaded: its class Agent is used from now on. Only the first class counts. */
TC_INTERNAL void java_side_offer(JavaVM *vm, JNIEnv *env, jclass agent_class);

/* What has been loaded or offered; null: nothing yet. */
TC_INTERNAL const struct java_side *java_side_known(void);

/* The same, after loading the classes if necessary. Live phase. Null: the reason is in problem. */
TC_INTERNAL const struct java_side *java_side_load(JavaVM *vm, JNIEnv *env, char *problem,
                                                   size_t problem_size);

/* Registers the events at Flight Recorder. May wait: not to be called while its classes are initialised. */
TC_INTERNAL void java_side_record(JavaVM *vm, JNIEnv *env);

#endif
