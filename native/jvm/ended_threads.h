/* SPDX-License-Identifier: Apache-2.0 */
/* The Java threads that have ended, with what they had used by then. */
#ifndef TC_ENDED_THREADS_H
#define TC_ENDED_THREADS_H

#include <jni.h>

#include "account.h"

/*
 * Listens for ends from now on. Does nothing where nobody reports them: JDK 19 and later without the agent
 * and without accounting of virtual threads, because listening would make virtual threads slower.
 */
TC_INTERNAL void ended_threads_listen(JNIEnv *env);

/* Takes the next one, in the order of their ends; false: there is none. For one reader at a time. */
TC_INTERNAL bool ended_threads_take(struct tc_ended *ended);

#endif
