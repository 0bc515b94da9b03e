/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach=jvm: the user times that libjvm itself reads, for Flight Recorder and for whatever else asks HotSpot,
 * come from the core. The default at the start of a JVM that reads the VIRT clock.
 */
#ifndef TC_AGENT_JVM_CLOCK_H
#define TC_AGENT_JVM_CLOCK_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "sys.h"

/* Finds out, once, whether this JVM reads /proc. It searches libjvm's constants. */
TC_INTERNAL void jvm_clock_find(JavaVM *vm);

/*
 * Puts a function of ours between this JVM and the C library's clock_gettime. It passes all calls on until
 * jvm_clock_answer. A JVM that reads /proc is left alone. 0, or -1 with a sentence in problem: nothing has
 * changed.
 */
TC_INTERNAL int jvm_clock_enter(JavaVM *vm, jvmtiEnv *jvmti, char *problem, size_t problem_size);

/* True if jvm_clock_answer is to change what answers this JVM. */
TC_INTERNAL bool jvm_clock_is_to_begin(const struct agent_options *options);

/*
 * From now on the core answers if these options want it; otherwise leaves. recorded: libjvm may have read
 * user times before, so values stay continuous for existing threads.
 */
TC_INTERNAL void jvm_clock_answer(const struct agent_options *options, bool recorded);

/*
 * Puts the C library's function back. Ours stays and passes calls on if mprotect is refused by now, or if
 * libjvm has read user times through it: it then continues what libjvm has seen of the living threads.
 */
TC_INTERNAL void jvm_clock_leave(void);

/* True while the core answers. */
TC_INTERNAL bool jvm_clock_answers(void);

/* Reports what answers libjvm, and how many of its reads the core has answered. */
TC_INTERNAL void jvm_clock_status(const struct agent_options *to);

#endif
