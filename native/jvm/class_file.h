/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes calls in a class file (JVMS chapter 4), without trusting any of its bytes. A call becomes that of a
 * static method that takes the same operands: three bytes become three bytes, so no instruction, stack map or
 * exception table moves, and constants are only appended.
 */
#ifndef TC_JVM_CLASS_FILE_H
#define TC_JVM_CLASS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sys.h"

enum call_kind { CALL_VIRTUAL = 182, CALL_STATIC = 184 }; /* the opcode */

struct called_method {
    const char *class_name, *name, *descriptor;
};

struct call_change {
    const char *method, *descriptor; /* that makes the call, once; another one for each change */
    enum call_kind kind;
    struct called_method from, to; /* if to is in the class itself, it must be a static method there */
};

struct class_bytes {
    unsigned char *bytes; /* of malloc */
    size_t length;
};

/*
 * The class with these changes, at most CALL_CHANGES of them: 0; or -1: it is another class, truncated,
 * malformed, larger than any that is meant, does not make one of the calls exactly once, or there is no
 * memory.
 */
enum { CALL_CHANGES = 3 };
TC_INTERNAL int class_file_change(const char *class_name, const unsigned char *bytes, size_t length,
                                  const struct call_change *changes, size_t count,
                                  struct class_bytes *changed);

/*
 * The number of such calls in the parts of a loaded class that JVMTI returns: the bytes and count of
 * GetConstantPool, and the method's GetBytecodes. -1: they are malformed.
 */
TC_INTERNAL int class_parts_calls(const unsigned char *pool, size_t pool_length, uint16_t pool_count,
                                  const unsigned char *code, size_t code_length, enum call_kind kind,
                                  const struct called_method *called);

#endif
