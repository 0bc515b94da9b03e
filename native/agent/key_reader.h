/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPU time by key for scrapes. The readings are Java code that takes a lock and needs the Java heap, so
 * another thread makes them, and a scrape waits for it no longer than a second. Each is for all scrapes until
 * 100 ms after it, so that no client can make the application do nothing else.
 */
#ifndef TC_AGENT_KEY_READER_H
#define TC_AGENT_KEY_READER_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "metrics.h"
#include "sys.h"

/*
 * Appends the metric of keys; nothing if there is nothing to read, or if the reading takes too long. The
 * first call that finds something to read starts the thread.
 */
TC_INTERNAL void key_reader_write(jvmtiEnv *jvmti, JNIEnv *env, bool open_metrics, struct tc_text *text);

/* Ends the wait of a scrape, and the thread. A later scrape starts it again, unless the JVM is ending. */
TC_INTERNAL void key_reader_end(bool with_jvm);

#endif
