/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of sun.management.ThreadImpl that the agent answers in place of the JVM's own. */
#ifndef TC_AGENT_NATIVES_H
#define TC_AGENT_NATIVES_H

#include <jni.h>
#include <stdbool.h>

#include "options.h"

enum native {
    NATIVE_USER_OF_ONE,   /* long getThreadUserCpuTime0(long id): id 0 is the current thread */
    NATIVE_USER_OF_MANY,  /* void getThreadUserCpuTime1(long[] ids, long[] times) */
    NATIVE_TOTAL_OF_ONE,  /* long getThreadTotalCpuTime0(long id) */
    NATIVE_TOTAL_OF_MANY, /* void getThreadTotalCpuTime1(long[] ids, long[] times) */
    NATIVES
};

extern const char *const native_names[NATIVES];

/* Which native a method of ThreadImpl is; NATIVES: another. */
enum native native_of(const char *name, const char *signature);

/* What answers it under these options; null: the JVM itself. */
void *native_function(enum native native, const struct agent_options *options);

/*
 * Notes the function of the JVM that ours is bound in the place of: it answers for the threads that are not registered.
 * natives_jvm gives it back, null before it was bound.
 */
void natives_bound(enum native native, void *jvm_function);
void *natives_jvm(enum native native);

#endif
