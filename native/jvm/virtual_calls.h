/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes java.lang.VirtualThread itself report its switches: three of its calls become calls of a helper class
 * in java.base, which also calls natives of ours. Costs half of what JVMTI's events do, needs no flag of the
 * JVM, and HotSpot keeps no reference to the threads. Never undone: a static field switches the natives off.
 */
#ifndef TC_JVM_VIRTUAL_CALLS_H
#define TC_JVM_VIRTUAL_CALLS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/*
 * What the helper calls, on the carrier, whose current thread is the carrier itself. Both switches happen
 * within HotSpot's transition: C code, reads of fields and short locks are allowed there; Java code, loading
 * of classes and waiting are not.
 */
struct virtual_natives {
    void(JNICALL *mounted)(JNIEnv *env, jclass helper, jthread thread, jlong id); /* before it runs */
    void(JNICALL *unmounted)(JNIEnv *env, jclass helper);                         /* after it ran */
    void(JNICALL *ended)(JNIEnv *env, jclass helper, jlong id);
};

/*
 * Prepares it, switched off: live phase, once, one thread. 0, or -1 with the reason in why, and VirtualThread
 * unchanged. jvmti: for virtual_calls_are_made.
 */
TC_INTERNAL int virtual_calls_prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct virtual_natives *natives,
                                      char *why, size_t why_size);

TC_INTERNAL void virtual_calls_switch(JNIEnv *env, bool on);

/*
 * False: another agent has redefined VirtualThread without our calls. Cheap if the class was not redefined
 * since.
 */
TC_INTERNAL bool virtual_calls_are_made(JNIEnv *env);

#endif
