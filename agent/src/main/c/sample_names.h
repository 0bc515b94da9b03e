/* SPDX-License-Identifier: Apache-2.0 */
/* What the JVM knows of its threads for those who sample them: names, states, frames. */
#ifndef TC_AGENT_SAMPLE_NAMES_H
#define TC_AGENT_SAMPLE_NAMES_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "sample_wire.h"
#include "vm_structs.h"

enum { SAMPLE_NAME_BYTES = 1024 };

/* Before all others. */
void sample_names_prepare(JNIEnv *env);

/* The name of a thread, modified UTF-8, its beginning if it is longer. False: can't be told. */
bool sample_name_of(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, char name[SAMPLE_NAME_BYTES]);

/* A SAMPLE_JAVA record of each Java thread. structs: its TID is told as well; null: not. */
void sample_names_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env, const struct vm_structs *structs);

/* The SAMPLE_STACK record that is asked for; without lines if there is no such thread, or it has no frames. */
void sample_stack_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env, const struct sample_request *request);

#endif
