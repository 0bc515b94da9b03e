/* SPDX-License-Identifier: Apache-2.0 */
/* One library per process: a copy that is loaded later hands over to the one already there. */
#ifndef TC_JVM_INSTANCE_H
#define TC_JVM_INSTANCE_H

#include <jni.h>

#include "sys.h"

/*
 * The JVM loads a library once for each path: the agent's through -agentpath, the jar's from its own folder.
 * Each copy would keep its own account of the threads. Returns a function of the copy of this version that
 * was loaded first; null: this is the first, or it is unknown which are loaded. Copies of other versions do
 * not count.
 */
TC_INTERNAL void *instance_first(const char *function);

/* The name of the file that this library was loaded from, without its folder; null: not known. */
TC_INTERNAL const char *instance_file(void);

/*
 * Not with glibc, which knows a loaded library by its name: keeps the library's file open, so that a later
 * attach can load it again by /proc/self/fd after its name is gone.
 */
TC_INTERNAL void instance_keep_file(void);

/* A dlopen handle of the HotSpot JVM's library; null: another JVM. */
TC_INTERNAL void *instance_libjvm(JavaVM *vm);

/*
 * A function of the JDK's management library, which ThreadMXBean's first use loads; null: not there, or not
 * yet.
 */
TC_INTERNAL void *instance_management(const char *function);

#endif
