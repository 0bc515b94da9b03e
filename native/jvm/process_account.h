/* SPDX-License-Identifier: Apache-2.0 */
/* The account of this process, for all its readers. */
#ifndef TC_JVM_PROCESS_ACCOUNT_H
#define TC_JVM_PROCESS_ACCOUNT_H

#include <jni.h>
#include <jvmti.h>

#include "metrics.h"
#include "sys.h"

/*
 * A thread of the agent will read it, as below, until it calls process_account_end. Reads it for the first
 * time, so that no later reading loads a class.
 */
TC_INTERNAL void process_account_begin(jvmtiEnv *jvmti, JNIEnv *env);

/*
 * Appends the account's metrics (tc_metrics_write), as of now or of a reading less than 100 ms old. For the
 * agent, whose environment has watched threads start. 0, or a negative errno: the threads cannot be listed.
 */
TC_INTERNAL int process_account_write(jvmtiEnv *jvmti, JNIEnv *env, bool open_metrics, struct tc_text *text);

/* The same as rows.h has it, for the node command. */
TC_INTERNAL int process_account_put(jvmtiEnv *jvmti, JNIEnv *env, struct tc_text *text);

/* After the last one, thread ends are no longer kept for it, unless Java reads it as well. */
TC_INTERNAL void process_account_end(void);

#endif
