/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs JDK-8372704 in the running JVM, also in a ThreadImpl that another agent changes. */
#include "repair.h"

#include <stdbool.h>
#include <stdio.h>

#include "redefinition.h"

#define THREAD_IMPL "sun/management/ThreadImpl"

static const struct call_change fix = {
    "getThreadUserTime", "([J)[J", CALL_STATIC,
    {THREAD_IMPL, "getThreadTotalCpuTime0", "(J)J"},
    {THREAD_IMPL, "getThreadUserCpuTime0", "(J)J"}};

static bool busy; /* the redefinition belongs to the thread that set it */
static struct redefinition redefinition = {.class_name = THREAD_IMPL, .changes = &fix, .count = 1,
                                           .insists = true};

/* Alone, but not by a lock: other agents' hooks run meanwhile, and may wait for a thread that gets here. */
int repair_thread_impl(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl, char *error, size_t error_size)
{
    if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQ_REL))
        return 0;
    int wrong = class_calls(jvmti, thread_impl, fix.method, fix.descriptor, fix.kind, &fix.from);
    int result = wrong == 0 ? 0 : -1;
    if (wrong == 1)
        result = redefine(&redefinition, env, thread_impl, error, error_size) == 0 ? 1 : -1;
    else if (wrong != 0)
        snprintf(error, error_size, "the code of " THREAD_IMPL " is not what a known JDK has");
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
    return result;
}
