/* SPDX-License-Identifier: Apache-2.0 */
/* One library in a process: a copy that is loaded later hands over to the one that is there already. */
#ifndef TC_AGENT_INSTANCE_H
#define TC_AGENT_INSTANCE_H

#include <jni.h>

/*
 * The JVM loads a library once for each path: the agent's by -agentpath, the jar's out of a folder of its own. Each would keep
 * account of the threads by itself. A function of the copy of this version that was loaded first; null: this is the first,
 * or which are loaded can't be known. Copies of other versions are left alone.
 */
void *instance_first(const char *function);

/* A HotSpot JVM's library, as of dlopen; null: another JVM. */
void *instance_libjvm(JavaVM *vm);

#endif
