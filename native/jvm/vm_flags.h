/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of HotSpot's command line (-XX:), from its own description of its data. */
#ifndef TC_AGENT_VM_FLAGS_H
#define TC_AGENT_VM_FLAGS_H

#include <stdbool.h>

#include "sys.h"

/*
 * True if libjvm, a handle of dlopen, has a boolean flag of this name and it is off. False: on, or not known.
 * Also works before the JVM is initialized, because flags are parsed before agents are loaded.
 */
TC_INTERNAL bool vm_flags_is_off(void *libjvm, const char *name);

#endif
