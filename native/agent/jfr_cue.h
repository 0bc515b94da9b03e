/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this JVM's Flight Recorder has been used, and what is to be done then. */
#ifndef TC_AGENT_JFR_CUE_H
#define TC_AGENT_JFR_CUE_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "sys.h"

/*
 * From now on the events are registered as soon as Flight Recorder is first used; until then no class of it
 * or of ours is loaded. Further calls change nothing. env: null before the live phase. The next two belong to
 * events of this environment.
 */
TC_INTERNAL void jfr_cue_watch(jvmtiEnv *jvmti, JNIEnv *env);

/* NativeMethodBind and, if jfr_cue_watch came before the live phase, VMInit. */
TC_INTERNAL void jfr_cue_bind(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method);
TC_INTERNAL void jfr_cue_live(jvmtiEnv *jvmti, JNIEnv *env);

/* True once something has recorded, even if it has ended. Live phase; looks at all loaded classes. */
TC_INTERNAL bool jfr_cue_has_come(jvmtiEnv *jvmti, JNIEnv *env);

#endif
