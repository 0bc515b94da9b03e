/* SPDX-License-Identifier: Apache-2.0 */
/* The TIDs of all Java threads from the JVM's thread dump: slow, for JVMs that do not describe their data. */
#ifndef TC_AGENT_THREAD_DUMP_H
#define TC_AGENT_THREAD_DUMP_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

struct thread_dump_line {
    uint64_t id; /* java.lang.Thread.tid */
    pid_t tid;
};

/*
 * A dump of all threads, as a local reference; null: this JVM cannot make one. Stops all threads while it is
 * made. Prints nothing, leaves no exception, and loads only the JVM's own classes.
 */
TC_INTERNAL jstring thread_dump_take(JNIEnv *env);

/*
 * The next line in text that gives a thread's TID; advances text past it. False: no more. The name of a
 * thread can look like such a line, but cannot hide one: an id that occurs twice is ambiguous.
 */
TC_INTERNAL bool thread_dump_next(const char **text, struct thread_dump_line *line);

#endif
