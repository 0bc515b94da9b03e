/* SPDX-License-Identifier: Apache-2.0 */
/* What Java reports as CPU time by key (CpuAttribution.exportToAgent), for the agent's endpoint. */
#ifndef TC_JVM_KEY_SOURCES_H
#define TC_JVM_KEY_SOURCES_H

#include <jni.h>
#include <stdbool.h>

#include "metrics.h"
#include "sys.h"

/* False: there is nothing to read. */
TC_INTERNAL bool key_sources_exist(void);

/*
 * Appends the samples of all keys (tc_metrics_add_key) without those of a source that fails. Calls Java code
 * of applications' class loaders, which may wait for a lock or for memory.
 */
TC_INTERNAL void key_sources_read(JNIEnv *env, struct tc_text *samples);

#endif
