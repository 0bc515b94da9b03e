/* SPDX-License-Identifier: Apache-2.0 */
/* Which Java thread is which thread of the kernel: from ThreadStart to ThreadEnd, and once for those that ran before. */
#ifndef TC_AGENT_JAVA_THREADS_H
#define TC_AGENT_JAVA_THREADS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <sys/types.h>

#include "vm_structs.h"

/* Takes the events that java_threads_watch will enable into callbacks. */
void java_threads_callbacks(jvmtiEventCallbacks *callbacks);

/* From now on threads are registered as they start and end. Any phase. */
jvmtiError java_threads_watch(jvmtiEnv *jvmti);

/* Registers the threads that run already. Live phase; after java_threads_watch. libjvm is a handle of dlopen. */
void java_threads_register_all(jvmtiEnv *jvmti, JNIEnv *env, void *libjvm);

/* Thread.threadId() of a thread, which nobody can override; 0: can't be told. */
uint64_t java_threads_id(JNIEnv *env, jthread thread);

/*
 * The TID of a Java thread, which holds as long as its eetop stays the same. -ESRCH: not alive, or a virtual thread; -ENOSYS:
 * can't be told here.
 */
pid_t java_threads_tid(JNIEnv *env, jthread thread, const struct vm_structs *structs, uint64_t *eetop);
bool java_threads_same(JNIEnv *env, jthread thread, uint64_t eetop);

/* No more events, and no thread is known any more. */
void java_threads_stop(jvmtiEnv *jvmti);

#endif
