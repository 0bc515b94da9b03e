/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option prometheus=: listens, and answers each scrape with the account of the process, for which no Java
 * code runs, and with CPU time by key where the application exports it (key_reader.h). A JVM that nobody has
 * scraped yet has a port and a sleeping thread more.
 */
#ifndef TC_AGENT_PROMETHEUS_H
#define TC_AGENT_PROMETHEUS_H

#include <jni.h>
#include <jvmti.h>
#include <stddef.h>

#include "options.h"
#include "sys.h"

/*
 * Listens as the options say, or no longer: 0, or -1 with the reason, a sentence, in problem; nothing has
 * changed then. A server that already has this address continues without a gap. env: null before the live
 * phase; then prometheus_start is to follow.
 */
TC_INTERNAL int prometheus_set(jvmtiEnv *jvmti, JNIEnv *env, const struct agent_options *options,
                               char *problem, size_t problem_size);

/* Starts the thread, unless nothing is to be served. Live phase. 0, or -1 with the reason in problem. */
TC_INTERNAL int prometheus_start(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size);

TC_INTERNAL void prometheus_stop(void);

/*
 * The JVM is ending: makes the server's thread leave native code, for which the JVM would wait for 300 ms
 * (VM_Exit::wait_for_threads_in_native_to_block). The metrics are served up to here.
 */
TC_INTERNAL void prometheus_end(void);

/*
 * Call it when the agent is loaded a second time, which changes none of the options in force: if metrics are
 * asked for, it says so on stderr.
 */
TC_INTERNAL void prometheus_ignored(const struct agent_options *asked, const struct agent_options *applied);

/* The address at which metrics are served, with the port that was found for port 0; "": not served. */
TC_INTERNAL const char *prometheus_served(void);

#endif
