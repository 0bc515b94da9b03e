/* SPDX-License-Identifier: Apache-2.0 */
/* Samples all threads of this JVM at a steady pace, for a command line at the other end of a socket. */
#ifndef TC_AGENT_SAMPLER_H
#define TC_AGENT_SAMPLER_H

#include <jni.h>
#include <stddef.h>

#include "options.h"

/*
 * Connects to options->channel_file, which must be listened on by this process's user or root, and samples until the other
 * end closes it: one daemon thread, which Java code cannot see, and thread events of a JVMTI environment of its own. Live
 * phase; libjvm is a handle of dlopen. 0, or -1 with the reason in problem.
 */
int sampler_open(JavaVM *vm, void *libjvm, const struct agent_options *options, char *problem, size_t problem_size);

#endif
