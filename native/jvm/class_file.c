/* SPDX-License-Identifier: Apache-2.0 */
/* A bounds-checked reader of class files, the search for calls, and the writer of the changed class. */
#include "class_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

enum { MAX_CONSTANTS = 4096 }; /* VirtualThread has about 850 */

struct pool {
    const unsigned char *bytes;
    uint16_t count;
    uint32_t values[MAX_CONSTANTS]; /* offset after the tag, if the constant is whole; 0: no such constant */
};

/* An index beyond the pool would become that of a constant which is appended. */
static void read_index(struct reader *reader, const struct pool *pool)
{
    if (read_16(reader) >= pool->count)
        reader->bad = true;
}

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
    case FIELD: case METHOD: case INTERFACE_METHOD: case NAME_AND_TYPE:
        read_index(reader, pool);
        read_index(reader, pool);
        break;
    case CLASS: case STRING: case METHOD_TYPE: case MODULE: case PACKAGE:
        read_index(reader, pool);
        break;
    case INTEGER: case FLOAT: case DYNAMIC: case INVOKE_DYNAMIC:
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

static bool is_method(const struct pool *pool, unsigned index, const struct called_method *called)
{
    const unsigned char *method = constant(pool, index, METHOD);
    if (method == NULL || !is_class(pool, big_endian_16(method), called->class_name))
        return false;
    const unsigned char *type = constant(pool, big_endian_16(method + 2), NAME_AND_TYPE);
    return type != NULL && is_utf8(pool, big_endian_16(type), called->name)
           && is_utf8(pool, big_endian_16(type + 2), called->descriptor);
}

enum {
    IINC = 132, RET = 169, TABLESWITCH = 170, LOOKUPSWITCH = 171, WIDE = 196, OPCODES = 202
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

/* The number of such calls in code, and the offset of the last; -1: it is malformed. */
static int find_in_code(const struct pool *pool, const unsigned char *code, size_t length,
                        enum call_kind kind, const struct called_method *called, size_t *offset)
{
    int calls = 0;
    struct reader reader = {code, code + length, false};
    while (reader.at < reader.end && !reader.bad) {
        uint8_t opcode = read_8(&reader);
        if (opcode == kind && reader.end - reader.at >= 2
            && is_method(pool, big_endian_16(reader.at), called)) {
            *offset = (size_t)(reader.at - code) - 1;
            calls++;
        }
        skip_operands(&reader, code, opcode);
    }
    return reader.bad ? -1 : calls;
}

int class_parts_calls(const unsigned char *pool_bytes, size_t pool_length, uint16_t pool_count,
                      const unsigned char *code, size_t code_length, enum call_kind kind,
                      const struct called_method *called)
{
    struct pool pool;
    size_t offset;
    struct reader reader = {pool_bytes, pool_bytes + pool_length, false};
    read_pool(&reader, pool_count, &pool);
    if (reader.bad || reader.at != reader.end)
        return -1;
    return find_in_code(&pool, code, code_length, kind, called, &offset);
}

static void skip_attributes(struct reader *reader)
{
    for (unsigned left = read_16(reader); left > 0 && !reader->bad; left--) {
        read_16(reader);
        take(reader, read_32(reader));
    }
}

/* What is found of a change. */
struct site {
    const struct call_change *change;
    size_t offset; /* of the call in the class */
    int calls;
    unsigned bodies; /* of the method that makes it */
    bool has_target;
};

struct search {
    const unsigned char *bytes;
    const char *class_name;
    const struct pool *pool;
    struct site *sites;
    size_t count;
};

static void read_code(struct reader *reader, const struct search *search, struct site *site)
{
    read_32(reader); /* max_stack, max_locals */
    size_t length = read_32(reader);
    const unsigned char *code = take(reader, length);
    if (code != NULL) {
        site->bodies++;
        site->calls = find_in_code(search->pool, code, length, site->change->kind, &site->change->from,
                                   &site->offset);
        site->offset += (size_t)(code - search->bytes);
    }
    take(reader, (size_t)read_16(reader) * 8); /* exception table */
    skip_attributes(reader);
}

static bool is_named(const struct search *search, const uint16_t method[3], const char *name,
                     const char *descriptor)
{
    return is_utf8(search->pool, method[1], name) && is_utf8(search->pool, method[2], descriptor);
}

static void read_method(struct reader *reader, struct search *search)
{
    enum { STATIC = 0x0008 };
    uint16_t method[3]; /* flags, name, descriptor */
    struct site *caller = NULL;
    for (int i = 0; i < 3; i++)
        method[i] = read_16(reader);
    for (struct site *site = search->sites; site < search->sites + search->count; site++) {
        const struct called_method *to = &site->change->to;
        if (is_named(search, method, site->change->method, site->change->descriptor))
            caller = site;
        site->has_target |= strcmp(to->class_name, search->class_name) != 0
                            || (is_named(search, method, to->name, to->descriptor)
                                && (method[0] & STATIC) != 0);
    }
    for (unsigned left = read_16(reader); left > 0 && !reader->bad; left--) {
        bool is_code = is_utf8(search->pool, read_16(reader), "Code");
        size_t length = read_32(reader);
        const unsigned char *attribute = take(reader, length);
        if (attribute == NULL || !is_code || caller == NULL)
            continue;
        struct reader body = {attribute, attribute + length, false};
        read_code(&body, search, caller);
        if (body.bad || body.at != body.end)
            reader->bad = true;
    }
}

/* Reads everything after the constant pool. */
static void read_members(struct reader *reader, struct search *search)
{
    read_16(reader); /* access flags */
    if (!is_class(search->pool, read_16(reader), search->class_name))
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

/* Its bytes suffice for what is put. */
static void put(struct class_bytes *to, const void *bytes, size_t length)
{
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static void put_16(struct class_bytes *to, unsigned number)
{
    put(to, (const unsigned char[]){(unsigned char)(number >> 8), (unsigned char)number}, 2);
}

static void put_constant(struct class_bytes *to, uint8_t tag, unsigned first, unsigned second)
{
    put(to, &tag, 1);
    put_16(to, first);
    if (tag != CLASS)
        put_16(to, second);
}

static void put_utf8(struct class_bytes *to, const char *text)
{
    put(to, &(const unsigned char){UTF8}, 1);
    put_16(to, (unsigned)strlen(text));
    put(to, text, strlen(text));
}

/* The constants of a method, from this index on; the last is the method. */
enum { METHOD_CONSTANTS = 6, METHOD_CONSTANTS_BYTES = 3 * 3 + 3 + 5 + 5 };

static void put_method(struct class_bytes *to, const struct called_method *method, unsigned index)
{
    put_utf8(to, method->class_name);
    put_constant(to, CLASS, index, 0);
    put_utf8(to, method->name);
    put_utf8(to, method->descriptor);
    put_constant(to, NAME_AND_TYPE, index + 2, index + 3);
    put_constant(to, METHOD, index + 1, index + 4);
}

static int write_changed(const struct search *search, size_t length, size_t pool_end,
                         struct class_bytes *changed)
{
    enum { COUNT_AT = 8 };
    size_t most = length;
    for (size_t i = 0; i < search->count; i++) {
        const struct called_method *to = &search->sites[i].change->to;
        most += METHOD_CONSTANTS_BYTES + strlen(to->class_name) + strlen(to->name) + strlen(to->descriptor);
    }
    *changed = (struct class_bytes){malloc(most), 0};
    if (changed->bytes == NULL)
        return -1;
    unsigned constants = search->pool->count;
    put(changed, search->bytes, COUNT_AT);
    put_16(changed, constants + METHOD_CONSTANTS * (unsigned)search->count);
    put(changed, search->bytes + COUNT_AT + 2, pool_end - COUNT_AT - 2);
    for (size_t i = 0; i < search->count; i++)
        put_method(changed, &search->sites[i].change->to, constants + METHOD_CONSTANTS * (unsigned)i);
    size_t moved = changed->length - pool_end;
    put(changed, search->bytes + pool_end, length - pool_end);
    for (size_t i = 0; i < search->count; i++) {
        struct class_bytes call = {changed->bytes + search->sites[i].offset + moved, 0};
        put(&call, &(const unsigned char){CALL_STATIC}, 1);
        put_16(&call, constants + METHOD_CONSTANTS * (unsigned)i + METHOD_CONSTANTS - 1);
    }
    return 0;
}

int class_file_change(const char *class_name, const unsigned char *bytes, size_t length,
                      const struct call_change *changes, size_t count, struct class_bytes *changed)
{
    struct pool pool;
    struct site sites[CALL_CHANGES] = {{0}};
    struct search search = {bytes, class_name, &pool, sites, count};
    struct reader reader = {bytes, bytes + length, false};
    if (read_32(&reader) != 0xCAFEBABE)
        return -1;
    read_32(&reader); /* version */
    read_pool(&reader, read_16(&reader), &pool);
    const unsigned char *pool_end = reader.at;
    for (size_t i = 0; i < count; i++)
        sites[i].change = &changes[i];
    if (!reader.bad)
        read_members(&reader, &search);
    if (reader.bad || reader.at != reader.end)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (sites[i].bodies != 1 || sites[i].calls != 1 || !sites[i].has_target)
            return -1;
    return write_changed(&search, length, (size_t)(pool_end - bytes), changed);
}
