/* SPDX-License-Identifier: Apache-2.0 */
/* Finds one wrong call in a class file (JVMS chapter 4), without trusting any of its bytes. */
#ifndef TC_AGENT_CLASS_FILE_H
#define TC_AGENT_CLASS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sys.h"

/*
 * In one method, an invokestatic of a method of the class where another with the same descriptor was meant.
 */
struct wrong_call {
    const char *class_name; /* java/lang/Object */
    const char *method, *method_descriptor;
    const char *called, *meant, *call_descriptor;
};

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
                                                   const struct wrong_call *wrong,
                                                   struct call_change *change);

/*
 * Searches the parts of a loaded class that JVMTI returns: the bytes and count of GetConstantPool, and the
 * method's GetBytecodes. The offset is from the beginning of code.
 */
TC_INTERNAL enum class_file_result class_parts_find(const unsigned char *pool, size_t pool_length,
                                                    uint16_t pool_count, const unsigned char *code,
                                                    size_t code_length, const struct wrong_call *wrong,
                                                    struct call_change *change);

#endif
