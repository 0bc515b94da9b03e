/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPU time by key for scrapes. The readings are Java code that takes a lock and needs the Java heap, so
 * another thread makes them, and a scrape waits for it no longer than a second.
 */
#ifndef TC_AGENT_KEY_READER_H
#define TC_AGENT_KEY_READER_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "metrics.h"
#include "sys.h"

/*
 * The samples of all keys, from malloc; none if there is nothing to read, if it takes too long, or if an
 * earlier reading still does. The first call that finds something to read starts the thread.
 */
TC_INTERNAL struct tc_text key_reader_samples(jvmtiEnv *jvmti, JNIEnv *env);

/* Ends the wait of a scrape, and the thread. A later scrape starts it again, unless the JVM is ending. */
TC_INTERNAL void key_reader_end(bool with_jvm);

#endif
