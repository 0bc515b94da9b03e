/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples all threads of this JVM at a steady rate, for a command line at the other end of a socket; or, for
 * DO_ACCOUNT, answers each byte that comes from there with the account (rows.h).
 */
#ifndef TC_AGENT_SAMPLER_H
#define TC_AGENT_SAMPLER_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "sys.h"

/*
 * Connects to options->channel_file, on which this process's user or root must be listening, and samples
 * until the other end closes it. It uses one daemon thread, which Java code cannot see, and the starts and
 * ends of threads. Live phase; libjvm is a handle of dlopen. 0, or -1 with the reason in problem.
 */
TC_INTERNAL int sampler_open(jvmtiEnv *jvmti, JNIEnv *env, void *libjvm, const struct agent_options *options,
                             char *problem, size_t problem_size);

/* The JVM ends, or the agent is detached: all samplers do, or those that answer with the account. */
TC_INTERNAL void sampler_end(bool all);

#endif
