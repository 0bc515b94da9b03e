/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds the natives of sun.management.ThreadImpl to the trampolines, and never back, because that is not
 * safe.
 */
#ifndef TC_AGENT_BINDING_H
#define TC_AGENT_BINDING_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "natives.h"
#include "options.h"
#include "sys.h"

/* True: it is the JDK's own sun.management.ThreadImpl. */
TC_INTERNAL bool binding_is_thread_impl(jvmtiEnv *jvmti, jclass class);

/* A global reference to ThreadImpl if it is loaded; otherwise null. One thread at a time. */
TC_INTERNAL jclass binding_thread_impl(jvmtiEnv *jvmti, JNIEnv *env);

/*
 * For the event NativeMethodBind: the trampoline to bind instead of this function; null: bind this function.
 */
TC_INTERNAL void *binding_of_first_call(enum native native, void *address);

/* From now on threadclock answers what these options say, and the JVM the rest; null: the JVM answers all. */
TC_INTERNAL void binding_lead_to(const struct agent_options *options);

/*
 * Binds the natives that threadclock answers, or has answered, and that are already bound. The rest are left
 * to the event NativeMethodBind, which must be enabled before. Live phase. 0, or -1 with the problem and its
 * remedy in problem.
 */
TC_INTERNAL int binding_make(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size);

/* Describes what answers a native, determined by calling it. Live phase, one thread at a time. */
TC_INTERNAL const char *binding_answerer(jvmtiEnv *jvmti, JNIEnv *env, enum native native);

#endif
