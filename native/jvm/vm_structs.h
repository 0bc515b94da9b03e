/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot's own description of its data, and with it the TID of a Java thread that started before the agent.
 * libjvm is a handle of dlopen.
 */
#ifndef TC_JVM_VM_STRUCTS_H
#define TC_JVM_VM_STRUCTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

/* Finds what vm_structs_tid needs, if HotSpot describes it. */
TC_INTERNAL void vm_structs_find(void *libjvm);
TC_INTERNAL bool vm_structs_are_found(void);

/*
 * The TID of the thread whose JavaThread is at eetop (java.lang.Thread.eetop), or -1. Reads without faulting,
 * because the thread may end meanwhile: the answer is valid only if eetop is still the same afterwards.
 */
TC_INTERNAL pid_t vm_structs_tid(uint64_t eetop);

/*
 * The value of libjvm's flag of this name: a bool, or the address of a string, as the flag's type is. Null:
 * there is no such flag, or HotSpot does not describe it. Also works before the JVM is initialized, because
 * flags are parsed before agents are loaded.
 */
TC_INTERNAL const void *vm_structs_flag(void *libjvm, const char *name);

#endif
