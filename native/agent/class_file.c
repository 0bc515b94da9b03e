/* SPDX-License-Identifier: Apache-2.0 */
/* A bounds-checked reader of class files, and the search for the wrong call. */
#include "class_file.h"

#include <stdbool.h>
#include <string.h>

static const char class_name[] = "sun/management/ThreadImpl";
static const char called[] = "getThreadTotalCpuTime0", meant[] = "getThreadUserCpuTime0";
static const char call_descriptor[] = "(J)J";

/*
 * The bytes left to read. After they have run out, every read returns 0 and bad is set: it is checked at the
 * end of each structure.
 */
struct reader {
    const unsigned char *at, *end;
    bool bad;
};

static const unsigned char *take(struct reader *reader, size_t length)
{
    if (reader->bad || length > (size_t)(reader->end - reader->at)) {
        reader->bad = true;
        return NULL;
    }
    reader->at += length;
    return reader->at - length;
}

static uint16_t big_endian_16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t big_endian_32(const unsigned char *bytes)
{
    return (uint32_t)big_endian_16(bytes) << 16 | big_endian_16(bytes + 2);
}

static uint8_t read_8(struct reader *reader)
{
    const unsigned char *bytes = take(reader, 1);
    return bytes != NULL ? bytes[0] : 0;
}

static uint16_t read_16(struct reader *reader)
{
    const unsigned char *bytes = take(reader, 2);
    return bytes != NULL ? big_endian_16(bytes) : 0;
}

static uint32_t read_32(struct reader *reader)
{
    const unsigned char *bytes = take(reader, 4);
    return bytes != NULL ? big_endian_32(bytes) : 0;
}

/* Table 4.4-A. */
enum {
    UTF8 = 1, INTEGER = 3, FLOAT = 4, LONG = 5, DOUBLE = 6, CLASS = 7, STRING = 8, FIELD = 9, METHOD = 10,
    INTERFACE_METHOD = 11, NAME_AND_TYPE = 12, METHOD_HANDLE = 15, METHOD_TYPE = 16, DYNAMIC = 17,
    INVOKE_DYNAMIC = 18, MODULE = 19, PACKAGE = 20
};

enum { MAX_CONSTANTS = 4096 }; /* ThreadImpl has about 400 */

struct pool {
    const unsigned char *bytes;
    uint16_t count;
    uint32_t values[MAX_CONSTANTS]; /* offset after the tag, if the constant is whole; 0: no such constant */
};

static void read_constant(struct reader *reader, struct pool *pool, unsigned *index)
{
    uint8_t tag = read_8(reader);
    pool->values[*index] = (uint32_t)(reader->at - pool->bytes);
    switch (tag) {
    case UTF8:
        take(reader, read_16(reader));
        break;
    case LONG: case DOUBLE: /* take two indices */
        take(reader, 8);
        if (++*index < pool->count)
            pool->values[*index] = 0;
        else
            reader->bad = true;
        break;
    case METHOD_HANDLE:
        take(reader, 3);
        break;
    case CLASS: case STRING: case METHOD_TYPE: case MODULE: case PACKAGE:
        take(reader, 2);
        break;
    case INTEGER: case FLOAT: case FIELD: case METHOD: case INTERFACE_METHOD: case NAME_AND_TYPE:
    case DYNAMIC: case INVOKE_DYNAMIC:
        take(reader, 4);
        break;
    default:
        reader->bad = true;
    }
}

static void read_pool(struct reader *reader, uint16_t count, struct pool *pool)
{
    pool->bytes = reader->at;
    pool->count = count;
    pool->values[0] = 0;
    if (count == 0 || count > MAX_CONSTANTS)
        reader->bad = true;
    for (unsigned i = 1; i < count && !reader->bad; i++)
        read_constant(reader, pool, &i);
}

static const unsigned char *constant(const struct pool *pool, unsigned index, uint8_t tag)
{
    uint32_t value = index < pool->count ? pool->values[index] : 0;
    return value != 0 && pool->bytes[value - 1] == tag ? pool->bytes + value : NULL;
}

static bool is_utf8(const struct pool *pool, unsigned index, const char *text)
{
    const unsigned char *found = constant(pool, index, UTF8);
    size_t length = strlen(text);
    return found != NULL && big_endian_16(found) == length && memcmp(found + 2, text, length) == 0;
}

static bool is_class(const struct pool *pool, unsigned index, const char *name)
{
    const unsigned char *found = constant(pool, index, CLASS);
    return found != NULL && is_utf8(pool, big_endian_16(found), name);
}

/* A method of the class itself. */
static bool is_method(const struct pool *pool, unsigned index, const char *name)
{
    const unsigned char *method = constant(pool, index, METHOD);
    if (method == NULL || !is_class(pool, big_endian_16(method), class_name))
        return false;
    const unsigned char *type = constant(pool, big_endian_16(method + 2), NAME_AND_TYPE);
    return type != NULL && is_utf8(pool, big_endian_16(type), name)
           && is_utf8(pool, big_endian_16(type + 2), call_descriptor);
}

/* The index of the method in the pool; 0: it is not there. */
static uint16_t find_method(const struct pool *pool, const char *name)
{
    for (unsigned i = 1; i < pool->count; i++)
        if (is_method(pool, i, name))
            return (uint16_t)i;
    return 0;
}

enum {
    IINC = 132, RET = 169, TABLESWITCH = 170, LOOKUPSWITCH = 171, INVOKESTATIC = 184, WIDE = 196,
    OPCODES = 202
};

/* Number of bytes after each opcode (JVMS chapter 6), where the opcode alone determines it. */
static const uint8_t operand_bytes[OPCODES] = {
    [16] = 1, [17] = 2, [18] = 1, [19 ... 20] = 2,      /* bipush, sipush, ldc, ldc_w, ldc2_w */
    [21 ... 25] = 1, [54 ... 58] = 1,                   /* iload to aload, istore to astore */
    [IINC] = 2, [153 ... 168] = 2, [RET] = 1,           /* ifeq to jsr */
    [178 ... 184] = 2,                                  /* getstatic to invokestatic */
    [185 ... 186] = 4,                                  /* invokeinterface, invokedynamic */
    [187] = 2, [188] = 1, [189] = 2, [192 ... 193] = 2, /* new, newarray, anewarray, checkcast, instanceof */
    [197] = 3, [198 ... 199] = 2, [200 ... 201] = 4,    /* multianewarray, ifnull, ifnonnull, goto_w, jsr_w */
};

/* Skips the operands of the opcode that was just read. */
static void skip_operands(struct reader *reader, const unsigned char *code, uint8_t opcode)
{
    if (opcode == WIDE) {
        uint8_t widened = read_8(reader);
        bool variable = (widened >= 21 && widened <= 25) || (widened >= 54 && widened <= 58)
                        || widened == RET;
        if (!variable && widened != IINC)
            reader->bad = true;
        take(reader, widened == IINC ? 4 : 2);
    } else if (opcode == TABLESWITCH || opcode == LOOKUPSWITCH) {
        take(reader, (size_t)(3 - (reader->at - code + 3) % 4)); /* to a multiple of four from code */
        read_32(reader);                                         /* default */
        int64_t low = (int32_t)read_32(reader);
        int64_t entries = opcode == TABLESWITCH ? (int32_t)read_32(reader) - low + 1 : low * 2;
        if (entries < 0)
            reader->bad = true;
        else
            take(reader, (size_t)entries * 4);
    } else if (opcode < OPCODES) {
        take(reader, operand_bytes[opcode]);
    } else {
        reader->bad = true;
    }
}

static enum class_file_result find_in_code(const struct pool *pool, const unsigned char *code, size_t length,
                                           struct call_change *change)
{
    uint16_t right = find_method(pool, meant);
    unsigned calls = 0;
    struct reader reader = {code, code + length, false};
    while (reader.at < reader.end && !reader.bad) {
        uint8_t opcode = read_8(&reader);
        if (opcode == INVOKESTATIC && reader.end - reader.at >= 2
            && is_method(pool, big_endian_16(reader.at), called)) {
            *change = (struct call_change){(size_t)(reader.at - code), right};
            calls++;
        }
        skip_operands(&reader, code, opcode);
    }
    if (reader.bad || calls > 1 || (calls == 1 && right == 0))
        return CLASS_FILE_NOT_UNDERSTOOD;
    return calls == 1 ? CLASS_FILE_WRONG : CLASS_FILE_RIGHT;
}

enum class_file_result class_parts_find(const unsigned char *pool_bytes, size_t pool_length,
                                        uint16_t pool_count, const unsigned char *code, size_t code_length,
                                        struct call_change *change)
{
    struct pool pool;
    struct reader reader = {pool_bytes, pool_bytes + pool_length, false};
    read_pool(&reader, pool_count, &pool);
    if (reader.bad || reader.at != reader.end)
        return CLASS_FILE_NOT_UNDERSTOOD;
    return find_in_code(&pool, code, code_length, change);
}

static void skip_attributes(struct reader *reader)
{
    for (unsigned left = read_16(reader); left > 0 && !reader->bad; left--) {
        read_16(reader);
        take(reader, read_32(reader));
    }
}

/* What find_in_class collects about the methods. */
struct search {
    const struct pool *pool;
    unsigned bodies; /* of the method to search */
    const unsigned char *code;
    size_t code_length;
    bool meant_is_static;
};

static void read_code(struct reader *reader, struct search *search)
{
    read_32(reader); /* max_stack, max_locals */
    search->code_length = read_32(reader);
    search->code = take(reader, search->code_length);
    search->bodies++;
    take(reader, (size_t)read_16(reader) * 8); /* exception table */
    skip_attributes(reader);
}

static void read_method(struct reader *reader, struct search *search)
{
    enum { STATIC = 0x0008 };
    uint16_t flags = read_16(reader), name = read_16(reader), descriptor = read_16(reader);
    bool searched = is_utf8(search->pool, name, CLASS_FILE_METHOD)
                    && is_utf8(search->pool, descriptor, CLASS_FILE_DESCRIPTOR);
    if (is_utf8(search->pool, name, meant) && is_utf8(search->pool, descriptor, call_descriptor))
        search->meant_is_static = (flags & STATIC) != 0;
    for (unsigned left = read_16(reader); left > 0 && !reader->bad; left--) {
        bool is_code = searched && is_utf8(search->pool, read_16(reader), "Code");
        if (!searched)
            read_16(reader);
        size_t length = read_32(reader);
        const unsigned char *attribute = take(reader, length);
        if (attribute == NULL || !is_code)
            continue;
        struct reader body = {attribute, attribute + length, false};
        read_code(&body, search);
        if (body.bad || body.at != body.end)
            reader->bad = true;
    }
}

/* Reads everything after the constant pool. */
static void read_members(struct reader *reader, struct search *search)
{
    read_16(reader); /* access flags */
    if (!is_class(search->pool, read_16(reader), class_name))
        reader->bad = true;
    read_16(reader);                           /* super class */
    take(reader, (size_t)read_16(reader) * 2); /* interfaces */
    for (unsigned fields = read_16(reader); fields > 0 && !reader->bad; fields--) {
        take(reader, 6);
        skip_attributes(reader);
    }
    for (unsigned methods = read_16(reader); methods > 0 && !reader->bad; methods--)
        read_method(reader, search);
    skip_attributes(reader);
}

enum class_file_result class_file_find(const unsigned char *bytes, size_t length, struct call_change *change)
{
    struct reader reader = {bytes, bytes + length, false};
    if (read_32(&reader) != 0xCAFEBABE)
        return CLASS_FILE_NOT_UNDERSTOOD;
    read_32(&reader); /* version */
    struct pool pool;
    read_pool(&reader, read_16(&reader), &pool);
    struct search search = {.pool = &pool};
    if (!reader.bad)
        read_members(&reader, &search);
    if (reader.bad || reader.at != reader.end || search.bodies != 1)
        return CLASS_FILE_NOT_UNDERSTOOD;
    enum class_file_result result = find_in_code(&pool, search.code, search.code_length, change);
    if (result == CLASS_FILE_WRONG && !search.meant_is_static)
        return CLASS_FILE_NOT_UNDERSTOOD;
    change->offset += result == CLASS_FILE_WRONG ? (size_t)(search.code - bytes) : 0;
    return result;
}
