/* SPDX-License-Identifier: Apache-2.0 */
/* The TIDs of all Java threads as the JVM's own thread dump tells them: slow, for a JVM that doesn't describe its data. */
#ifndef TC_AGENT_THREAD_DUMP_H
#define TC_AGENT_THREAD_DUMP_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_dump_line {
    uint64_t id; /* java.lang.Thread.tid */
    pid_t tid;
};

/*
 * A dump of all threads, a local reference; null: this JVM can't make one. Stops all threads while it is made. Prints
 * nothing, leaves no exception, and loads no class but the JVM's own.
 */
jstring thread_dump_take(JNIEnv *env);

/*
 * The next line in text that says which thread has which TID; text moves on behind it. False: no more. The name of a
 * thread can look like such a line, but can't hide one: an id that comes twice is in doubt.
 */
bool thread_dump_next(const char **text, struct thread_dump_line *line);

#endif
