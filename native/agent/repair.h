/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs JDK-8372704 in the running JVM: getThreadUserTime(id of the caller) returns total time, because
 * ThreadImpl.getThreadUserTime([J) calls getThreadTotalCpuTime0 where getThreadUserCpuTime0 was meant. Seen
 * on 21.0.13; the code is right on 8u504, 11.0.33, 17.0.21, 25.0.3, 25.0.5, 26.0.2 and 27.0.1.
 */
#ifndef TC_AGENT_REPAIR_H
#define TC_AGENT_REPAIR_H

#include <jni.h>
#include <jvmti.h>
#include <stddef.h>

#include "sys.h"

/*
 * Live phase, from a thread that may call JNI and has no pending exception; also inside a NativeMethodBind or
 * ClassPrepare callback. A frame that is already in getThreadUserTime([J) finishes with the old code, so call
 * this before ThreadImpl can have been used: when VMManagementImpl.isThreadCpuTimeEnabled is bound
 * (ThreadImpl's constructor calls it), or at once if ThreadImpl is loaded.
 *
 * jvmti gains can_get_bytecodes and can_get_constant_pool; nothing more happens if the code is right (some 50
 * us). Otherwise the class is redefined with those two bytes changed, at two safepoints (2 to 5 ms in all at
 * start, 17 ms measured in a busy JVM), and stays so when other agents retransform it. HotSpot then discards
 * the compiled code that depends on ThreadImpl, or all compiled code if the agent was attached
 * (-Xlog:redefine+class+nmethod=debug shows it).
 *
 * 1: repaired; 0: nothing to do, or another thread is doing it; -1: impossible, with the reason in error and
 * the class unchanged.
 */
TC_INTERNAL int repair_thread_impl(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl, char *error,
                                   size_t error_size);

#endif
