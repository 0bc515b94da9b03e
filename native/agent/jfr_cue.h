/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this JVM's Flight Recorder has been used. */
#ifndef TC_AGENT_JFR_CUE_H
#define TC_AGENT_JFR_CUE_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "sys.h"

/* True once something has recorded, even if it has ended. Live phase; looks at all loaded classes. */
TC_INTERNAL bool jfr_cue_has_come(jvmtiEnv *jvmti, JNIEnv *env);

#endif
