/* SPDX-License-Identifier: Apache-2.0 */
/* Maps Java threads to kernel threads: from ThreadStart to ThreadEnd, and once for those already running. */
#ifndef TC_JVM_JAVA_THREADS_H
#define TC_JVM_JAVA_THREADS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sys.h"
#include "thread_events.h"
#include "virtual_threads.h"

enum { JAVA_THREADS_NAME_BYTES = TC_THREAD_NAME_BYTES };

/*
 * The JVMTI environment of the agent and the library, made once: in any phase. It listens to the starts and
 * ends of Java threads; whoever sets its callbacks keeps these two.
 */
TC_INTERNAL jvmtiError java_threads_environment(JavaVM *vm, jvmtiEnv **jvmti);
TC_INTERNAL void JNICALL java_threads_started(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);
TC_INTERNAL void JNICALL java_threads_ended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);

/*
 * False where that environment would make virtual threads slower until the JVM ends: on JDK 19 and later, if
 * neither the agent nor the accounting of virtual threads has made one.
 */
TC_INTERNAL bool java_threads_may_listen(JNIEnv *env);

/* The reader gets the ends from now on. Does nothing if it does already. */
TC_INTERNAL jvmtiError java_threads_listen(JNIEnv *env, struct thread_events_reader *reader);
TC_INTERNAL void java_threads_listen_no_more(struct thread_events_reader *reader);

/* Threads are registered as they start and end. Any phase; there is the environment. libjvm: of dlopen. */
TC_INTERNAL jvmtiError java_threads_watch(void *libjvm);

/*
 * Registers those of these threads that run unregistered, such as one that is about to get its ThreadStart.
 * ids null: all that are already running. Live phase; after java_threads_watch.
 */
TC_INTERNAL void java_threads_register(JNIEnv *env, const jlong *ids, jint count);

/*
 * Threads that start from now on are not registered. Registered threads stay so until their ThreadEnd, which
 * is still handled: an id must not outlive its thread.
 */
TC_INTERNAL void java_threads_stop(void);

/* Thread.threadId() of a thread, unaffected by overrides; 0: unknown. */
TC_INTERNAL uint64_t java_threads_id(JNIEnv *env, jthread thread);

/*
 * The TID of a Java thread, valid while its eetop stays the same. -ESRCH: not alive, or a virtual thread;
 * -ENOSYS: not available here.
 */
TC_INTERNAL pid_t java_threads_tid(JNIEnv *env, jthread thread, uint64_t *eetop);
TC_INTERNAL bool java_threads_same(JNIEnv *env, jthread thread, uint64_t eetop);

/*
 * Call it before the next four. In the live phase; may run Java code: call it without a lock. If the JVM is
 * out of memory, or a security manager forbids it, nothing is prepared: then the next four know less, and
 * ends have no events. Call it again.
 */
TC_INTERNAL void java_threads_prepare(JNIEnv *env);
TC_INTERNAL bool java_threads_are_prepared(void);

/* The name of a thread in modified UTF-8, truncated if it is longer. False: unknown; jvmti may be null. */
TC_INTERNAL bool java_threads_name(jvmtiEnv *jvmti, JNIEnv *env, jthread thread,
                                   char name[JAVA_THREADS_NAME_BYTES]);

/* True: one of the JVM's own threads that carry virtual threads. */
TC_INTERNAL bool java_threads_is_carrier(JNIEnv *env, jthread thread);

/* True: of the topmost group, as the JVM's own threads are. */
TC_INTERNAL bool java_threads_is_of_top_group(JNIEnv *env, jthread thread);

/* The state in JVMTI's bits, which threadStatus also uses (HotSpot's javaThreadStatus.hpp). */
TC_INTERNAL jint java_threads_status(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);

/* Differs if a thread may have started since the last call, while threads are registered or ends are read. */
TC_INTERNAL uint64_t java_threads_starts(void);

#endif
