/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a daemon thread of the agent's, which Java code can see only in the list of all threads. */
#ifndef TC_AGENT_THREAD_H
#define TC_AGENT_THREAD_H

#include <jni.h>
#include <jvmti.h>

#include "sys.h"

/* Live phase; runs the constructor of java.lang.Thread. */
TC_INTERNAL jvmtiError agent_thread_start(jvmtiEnv *jvmti, JNIEnv *env, const char *name,
                                          jvmtiStartFunction function, void *argument);

#endif
