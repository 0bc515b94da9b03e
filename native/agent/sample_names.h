/* SPDX-License-Identifier: Apache-2.0 */
/* What the JVM knows about its threads, for the sampler: states and frames. */
#ifndef TC_AGENT_SAMPLE_NAMES_H
#define TC_AGENT_SAMPLE_NAMES_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "sample_wire.h"
#include "sys.h"
#include "vm_structs.h"

/* Call it before the other functions. */
TC_INTERNAL void sample_names_prepare(JNIEnv *env);

/*
 * Adds a SAMPLE_JAVA record for each Java thread, and a SAMPLE_CARRIER record for each carrier. structs: adds
 * the TID as well; null: does not.
 */
TC_INTERNAL void sample_names_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env,
                                  const struct vm_structs *structs);

/*
 * Adds the requested SAMPLE_STACK record; without lines if there is no such thread, or it has no frames.
 * Those of a carrier are the virtual thread's on it, if virtual threads are accounted for.
 */
TC_INTERNAL void sample_stack_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env,
                                  const struct vm_structs *structs, const struct sample_request *request);

#endif
