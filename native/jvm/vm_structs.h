/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot's own description of its data, and with it the TID of a Java thread that started before the agent.
 * libjvm is a handle of dlopen.
 */
#ifndef TC_AGENT_VM_STRUCTS_H
#define TC_AGENT_VM_STRUCTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

struct vm_structs {
    bool found;
    uint64_t osthread_offset;  /* of _osthread in JavaThread (to JDK 21) or Thread (from 25) */
    uint64_t thread_id_offset; /* of _thread_id in OSThread */
};

/* The value of a word that libjvm exports; false: it has no such symbol. */
TC_INTERNAL bool vm_structs_number(void *libjvm, const char *symbol, uint64_t *number);

/* The text that a word of an entry points to. */
static inline const char *vm_structs_text(const char *entry, uint64_t offset)
{
    return *(const char *const *)(entry + offset);
}

/* The entry that describes a field; null: there is none. */
TC_INTERNAL const char *vm_structs_entry(void *libjvm, const char *type, const char *field);

/* The offset of a field that is not static; false: HotSpot does not describe it. */
TC_INTERNAL bool vm_structs_offset(void *libjvm, const char *type, const char *field, uint64_t *offset);

/* found: whether HotSpot describes what is needed. */
TC_INTERNAL void vm_structs_find(void *libjvm, struct vm_structs *structs);

/*
 * The TID of the thread whose JavaThread is at eetop (java.lang.Thread.eetop), or -1. Reads without faulting,
 * because the thread may end meanwhile: the answer is valid only if eetop is still the same afterwards.
 */
TC_INTERNAL pid_t vm_structs_tid(const struct vm_structs *structs, uint64_t eetop);

#endif
