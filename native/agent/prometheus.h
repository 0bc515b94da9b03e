/* SPDX-License-Identifier: Apache-2.0 */
/* The option prometheus=: starts and stops the server of the metrics, which is Java code (java_side.h). */
#ifndef TC_AGENT_PROMETHEUS_H
#define TC_AGENT_PROMETHEUS_H

#include <jni.h>
#include <stddef.h>

#include "options.h"
#include "sys.h"

/*
 * Starts or stops the server as the options say: 0, or -1 with the reason, a sentence, in problem; nothing
 * has changed then. A server that already has this address continues without a gap. Live phase.
 */
TC_INTERNAL int prometheus_set(JavaVM *vm, const struct agent_options *options, char *problem,
                               size_t problem_size);

TC_INTERNAL void prometheus_stop(void);

/*
 * The JVM is ending: makes the server's thread leave native code, for which the JVM would wait for 300 ms
 * (VM_Exit::wait_for_threads_in_native_to_block). The metrics are served up to here.
 */
TC_INTERNAL void prometheus_end(JNIEnv *env);

/*
 * Call it when the agent is loaded a second time, which changes none of the options in force: if metrics are
 * asked for, it says so on stderr.
 */
TC_INTERNAL void prometheus_ignored(const struct agent_options *asked, const struct agent_options *applied);

/*
 * Adds to the answer to an attach the address at which metrics were served until then, if they are no more.
 */
TC_INTERNAL void prometheus_answer(const struct agent_options *to);

/* The answer to do=status: off, or the address with the port that was found for port 0. */
TC_INTERNAL void prometheus_status(const struct agent_options *to);

#endif
