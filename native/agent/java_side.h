/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's Java classes, which supply events to Flight Recorder: those of -javaagent, or of the jar beside
 * this library. The latter are loaded when something first records, by a loader of their own below the boot
 * loader, so that class path, modules and archived classes (CDS, AOT) of the application stay as they are.
 */
#ifndef TC_JAVA_SIDE_H
#define TC_JAVA_SIDE_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/* Call it when the JVM loads the agent at its start: the jar may be looked for later. */
TC_INTERNAL void java_side_at_start(void);

/* The jar has been loaded: its class Agent is used from now on. Only the first class counts. */
TC_INTERNAL void java_side_offer(JNIEnv *env, jclass agent_class);

/* True: the classes are there. */
TC_INTERNAL bool java_side_is_known(void);

/*
 * From now on our events are registered with Flight Recorder as soon as it is first used; until then no class
 * of it or of ours is loaded. Further calls change nothing. env: null before the live phase. The two
 * functions below must be called from events of this environment.
 */
TC_INTERNAL void jfr_cue_watch(jvmtiEnv *jvmti, JNIEnv *env);

/* NativeMethodBind and, if jfr_cue_watch came before the live phase, VMInit. */
TC_INTERNAL void jfr_cue_bind(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method);
TC_INTERNAL void jfr_cue_live(jvmtiEnv *jvmti, JNIEnv *env);

/* True once something has recorded, even if it has ended. Live phase; looks at all loaded classes. */
TC_INTERNAL bool jfr_cue_has_come(jvmtiEnv *jvmti, JNIEnv *env);

#endif
