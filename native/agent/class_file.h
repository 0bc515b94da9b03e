/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the wrong call of JDK-8372704 in a class file (JVMS chapter 4), without trusting any of its bytes: in
 * getThreadUserTime([J) of sun.management.ThreadImpl, an invokestatic of getThreadTotalCpuTime0 where
 * getThreadUserCpuTime0 was meant.
 */
#ifndef TC_AGENT_CLASS_FILE_H
#define TC_AGENT_CLASS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sys.h"

/* The method that makes the call. */
#define CLASS_FILE_METHOD "getThreadUserTime"
#define CLASS_FILE_DESCRIPTOR "([J)[J"

/* The two bytes at offset, big-endian, become constant; nothing else changes. */
struct call_change {
    size_t offset;
    uint16_t constant;
};

enum class_file_result {
    CLASS_FILE_RIGHT = 0,          /* the method does not make the wrong call */
    CLASS_FILE_WRONG = 1,          /* it makes it once: change holds the fix */
    CLASS_FILE_NOT_UNDERSTOOD = -1 /* truncated, malformed, larger than any such class, several wrong calls */
};

/* Searches a class file; the offset in change is from its beginning. Reads only the first length bytes. */
TC_INTERNAL enum class_file_result class_file_find(const unsigned char *bytes, size_t length,
                                                   struct call_change *change);

/*
 * Searches the parts of a loaded class that JVMTI returns: the bytes and count of GetConstantPool, and the
 * method's GetBytecodes. The offset is from the beginning of code.
 */
TC_INTERNAL enum class_file_result class_parts_find(const unsigned char *pool, size_t pool_length,
                                                    uint16_t pool_count, const unsigned char *code,
                                                    size_t code_length, struct call_change *change);

#endif
