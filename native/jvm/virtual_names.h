/* SPDX-License-Identifier: Apache-2.0 */
/* Which group of the core a virtual thread belongs to. */
#ifndef TC_AGENT_VIRTUAL_NAMES_H
#define TC_AGENT_VIRTUAL_NAMES_H

#include <jvmti.h>
#include <stdint.h>

#include "sys.h"

/* Looks up the fields, in the live phase. Until then every thread is in the group of those without names. */
TC_INTERNAL void virtual_names_prepare(JNIEnv *env);

/*
 * The group of a thread: by its current name without numbers or, if it has none, by what started it (an
 * executor, a task scope, or neither).
 */
TC_INTERNAL uint32_t virtual_group_of(JNIEnv *env, jthread thread);

#endif
