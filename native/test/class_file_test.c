/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of class files: it finds the wrong call of JDK-8372704 and nothing else, in any bytes. The class
 * is built here, with every kind of constant and instruction; CLASS_FILES=file:file adds real ones.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class_file.h"

/* A class file built by hand: every kind of constant, many instructions, and any number of wrong calls. */
struct bytes {
    unsigned char at[4096];
    size_t length;
};

static void put(struct bytes *to, const void *bytes, size_t length)
{
    assert_true(to->length + length <= sizeof to->at);
    memcpy(to->at + to->length, bytes, length);
    to->length += length;
}

/* Adds bytes from hexadecimal digits; all other characters are ignored. */
static void put_hex(struct bytes *to, const char *hex)
{
    static const char digits[] = "0123456789abcdef";
    for (int high = -1; *hex != '\0'; hex++) {
        const char *digit = strchr(digits, *hex);
        if (digit == NULL)
            continue;
        if (high < 0) {
            high = (int)(digit - digits);
        } else {
            put(to, &(unsigned char){(unsigned char)(high << 4 | (int)(digit - digits))}, 1);
            high = -1;
        }
    }
}

static void put_number(struct bytes *to, size_t number, int bytes)
{
    while (bytes-- > 0)
        put(to, &(unsigned char){(unsigned char)(number >> (8 * bytes))}, 1);
}

static void put_utf8(struct bytes *to, const char *text)
{
    put_hex(to, "01");
    put_number(to, strlen(text), 2);
    put(to, text, strlen(text));
}

enum { USER = 8, CONSTANTS = 31 };

static void put_pool(struct bytes *to)
{
    put_utf8(to, "sun/management/ThreadImpl");   /*  1 */
    put_hex(to, "07 0001");                      /*  2 Class */
    put_utf8(to, "getThreadUserTime");           /*  3 */
    put_utf8(to, "([J)[J");                      /*  4 */
    put_utf8(to, "getThreadUserCpuTime0");       /*  5 */
    put_utf8(to, "(J)J");                        /*  6 */
    put_hex(to, "0c 0005 0006");                 /*  7 NameAndType */
    put_hex(to, "0a 0002 0007");                 /*  8 Methodref: meant */
    put_hex(to, "08 0001");                      /*  9 String */
    put_hex(to, "0a 0002 000c");                 /* 10 Methodref: called */
    put_utf8(to, "getThreadTotalCpuTime0");      /* 11 */
    put_hex(to, "0c 000b 0006");                 /* 12 NameAndType */
    put_utf8(to, "Code");                        /* 13 */
    put_hex(to, "05 ffffffff ffffffff");         /* 14 Long, and 15 */
    put_hex(to, "06 00000000 00000000");         /* 16 Double, and 17 */
    put_hex(to, "03 0a000200 04 00000000");      /* 18 Integer, 19 Float */
    put_utf8(to, "another/Class");               /* 20 */
    put_hex(to, "07 0014");                      /* 21 Class */
    put_hex(to, "0a 0015 000c");                 /* 22 Methodref: the same name elsewhere */
    put_hex(to, "09 0002 000c 0b 0002 000c");    /* 23 Fieldref, 24 InterfaceMethodref */
    put_hex(to, "0f 06000a 10 0006");            /* 25 MethodHandle, 26 MethodType */
    put_hex(to, "11 0000 000c 12 0000 000c");    /* 27 Dynamic, 28 InvokeDynamic */
    put_hex(to, "13 0014 14 0014");              /* 29 Module, 30 Package */
}

/* Right calls: of another class, of an interface, of a field, of the method that was meant. */
static const char right_calls[] = "b80016 b80018 b80017 b80008";
static const char wrong_call[] = "b8000a 50";
static const char table_switch[] = "000000b8 00000003 00000005 b8000a00 b8000a00 b8000a00"; /* 3 to 5 */
static const char lookup_switch[] = "b8000a00 00000002 00000001 b8000a00 00000002 b8000a00";
static const char end[] = "b0";

static void put_switch(struct bytes *code, const char *opcode, const char *operands)
{
    put_hex(code, opcode);
    while (code->length % 4 != 0)
        put_hex(code, "b8");
    put_hex(code, operands);
}

static void put_code(struct bytes *code, int wrong_calls)
{
    put_hex(code, right_calls);
    put_switch(code, "aa", table_switch);
    for (int i = 0; i < wrong_calls; i++)
        put_hex(code, wrong_call);
    put_hex(code, "00");
    put_switch(code, "ab", lookup_switch);
    put_hex(code, end);
}

/* name and descriptor, with Code and the attributes within. */
static void put_method(struct bytes *to, const char *begin, const struct bytes *code)
{
    put_hex(to, begin);
    put_hex(to, "0002 000d");
    put_number(to, code->length + 12 + 8 + 8, 4);
    put_hex(to, "00040005");
    put_number(to, code->length, 4);
    put(to, code->at, code->length);
    put_hex(to, "0001 0000 0001 0002 0000");   /* exception table */
    put_hex(to, "0001 0003 00000002 b80a");    /* an attribute of Code */
    put_hex(to, "0001 00000000");              /* a second attribute of the method */
}

static void put_class(struct bytes *to, const struct bytes *code)
{
    put_hex(to, "cafebabe 00000041");
    put_number(to, CONSTANTS, 2);
    put_pool(to);
    put_hex(to, "0021 0002 0015");             /* access flags, this and super class */
    put_hex(to, "0001 0015");                  /* an interface */
    put_hex(to, "0001 0002 0005 0006 0001 0003 00000003 b8000a"); /* a field */
    put_hex(to, "0003");                       /* methods: */
    put_hex(to, "0108 0005 0006 0000");        /* meant: static native */
    put_method(to, "0001 0005 0004", code);    /* another name, the same descriptor */
    put_method(to, "0004 0003 0004", code);    /* the method to search */
    put_hex(to, "0001 0001 00000001 00");      /* an attribute of the class */
}

static struct bytes class_with(int wrong_calls)
{
    struct bytes code = {.length = 0}, class = {.length = 0};
    put_code(&code, wrong_calls);
    put_class(&class, &code);
    return class;
}

/* Searches in a block of exactly this size, so that a sanitizer sees a read beyond it. */
static enum class_file_result find(const unsigned char *bytes, size_t length, struct call_change *change)
{
    unsigned char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    *change = (struct call_change){0};
    enum class_file_result result = class_file_find(exact + (length > 0 ? 0 : 1), length, change);
    free(exact);
    return result;
}

/* The change is to the operand of an invokestatic, and the resulting class is right. */
static void assert_valid_change(const unsigned char *bytes, size_t length, struct call_change change)
{
    assert_true(change.offset >= 1 && change.offset + 2 <= length);
    assert_int_equal(bytes[change.offset - 1], 0xb8);
    assert_true(change.constant != 0);
    unsigned char *changed = malloc(length);
    assert_non_null(changed);
    memcpy(changed, bytes, length);
    changed[change.offset] = (unsigned char)(change.constant >> 8);
    changed[change.offset + 1] = (unsigned char)change.constant;
    struct call_change none;
    assert_int_equal(find(changed, length, &none), CLASS_FILE_RIGHT);
    free(changed);
}

static enum class_file_result find_in_parts(const struct bytes *pool, unsigned count,
                                            const struct bytes *code, size_t length,
                                            struct call_change *change)
{
    unsigned char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact + 1, code->at, length);
    enum class_file_result result = class_parts_find(pool->at, pool->length, (uint16_t)count, exact + 1,
                                                     length, change);
    free(exact);
    return result;
}

/* The whole class and its parts give the same answer. */
TEST(one_wrong_call_is_found_and_two_are_not_understood)
{
    static const enum class_file_result results[] = {CLASS_FILE_RIGHT, CLASS_FILE_WRONG,
                                                     CLASS_FILE_NOT_UNDERSTOOD};
    for (int calls = 0; calls <= 2; calls++) {
        struct bytes class = class_with(calls), pool = {.length = 0}, code = {.length = 0};
        put_pool(&pool);
        put_code(&code, calls);
        struct call_change change, in_code;
        assert_int_equal(find(class.at, class.length, &change), results[calls]);
        assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, code.length, &in_code), results[calls]);
        if (calls == 1) {
            assert_int_equal(change.constant, USER);
            /* The operand and what follows. */
            assert_memory_equal(class.at + change.offset, "\0\012\120\0\253", 4);
            assert_valid_change(class.at, class.length, change);
            assert_memory_equal(code.at + in_code.offset - 1, "\270\0\012\120", 4);
        }
    }
}

/* Searches the class after the bytes `instead`, which must occur once, were replaced by `with`. */
static enum class_file_result find_with(const char *instead, const char *with, size_t length)
{
    struct bytes class = class_with(1);
    unsigned char *place = NULL;
    for (size_t i = 0; i + length <= class.length; i++)
        if (memcmp(class.at + i, instead, length) == 0) {
            assert_null(place);
            place = class.at + i;
        }
    assert_non_null(place);
    memcpy(place, with, length);
    struct call_change change;
    return find(class.at, class.length, &change);
}

TEST(other_names_are_not_taken_for_these)
{
    assert_int_equal(find_with("getThreadTotalCpuTime0", "getThreadTotalCpuTime1", 22), CLASS_FILE_RIGHT);
    assert_int_equal(find_with("getThreadUserCpuTime0", "getThreadUserCpuTime1", 21),
                     CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(find_with("getThreadUserTime", "getThreadUserTim2", 17), CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(find_with("([J)[J", "([I)[J", 6), CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(find_with("sun/management", "sub/management", 14), CLASS_FILE_NOT_UNDERSTOOD);
}

TEST(the_intended_method_must_be_static)
{
    assert_int_equal(find_with("\1\010\0\5\0\6\0\0", "\1\000\0\5\0\6\0\0", 8), CLASS_FILE_NOT_UNDERSTOOD);
}

/* Taken for a longer instruction, it hides the call after it; for a shorter one, a bad opcode follows. */
static void assert_length_is_known(const char *instruction)
{
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_hex(&code, instruction);
    put_hex(&code, wrong_call);
    put_hex(&code, end);
    struct call_change change;
    assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, code.length, &change), CLASS_FILE_WRONG);
}

TEST(each_instruction_has_its_length)
{
    static const char *const longer[] = {
        "10ff", "11ffff", "12ff", "13ffff", "14ffff", "15ff", "16ff", "17ff", "18ff", "19ff", "36ff",
        "37ff", "38ff", "39ff", "3aff", "84ffff", "99ffff", "9affff", "9bffff", "9cffff", "9dffff",
        "9effff", "9fffff", "a0ffff", "a1ffff", "a2ffff", "a3ffff", "a4ffff", "a5ffff", "a6ffff", "a7ffff",
        "a8ffff", "a9ff", "b2ffff", "b3ffff", "b4ffff", "b5ffff", "b6ffff", "b7ffff", "b8ffff",
        "b9ffffffff", "baffffffff", "bbffff", "bcff", "bdffff", "c0ffff", "c1ffff", "c415ffff", "c419ffff",
        "c436ffff", "c43affff", "c4a9ffff", "c484ffffffff", "c5ffffff", "c6ffff", "c7ffff", "c8ffffffff",
        "c9ffffffff", "aaffffff ffffffff 00000000 00000000 ffffffff", "abffffff ffffffff 00000000"};
    bool known[256] = {false};
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++) {
        struct bytes instruction = {.length = 0};
        put_hex(&instruction, longer[i]);
        known[instruction.at[0]] = true;
        assert_length_is_known(longer[i]);
    }
    for (unsigned opcode = 0; opcode < 202; opcode++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", opcode);
        if (!known[opcode])
            assert_length_is_known(hex);
    }
}

TEST(truncated_code_is_not_understood)
{
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_hex(&code, "00 b8000a");
    struct call_change change;
    assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, 4, &change), CLASS_FILE_WRONG);
    assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, 3, &change), CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, 2, &change), CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(find_in_parts(&pool, CONSTANTS, &code, 1, &change), CLASS_FILE_RIGHT);
}

TEST(a_pool_too_large_is_not_understood)
{
    enum { MANY = 65534 };
    static unsigned char pool[MANY * 3]; /* an empty Utf8 each */
    for (size_t i = 0; i < MANY; i++)
        pool[3 * i] = 1;
    struct call_change change;
    assert_int_equal(class_parts_find(pool, sizeof pool, MANY + 1, pool, 0, &change),
                     CLASS_FILE_NOT_UNDERSTOOD);
    assert_int_equal(class_parts_find(pool, 3 * 4095, 4096, pool, 0, &change),
                     CLASS_FILE_RIGHT);
}

/* Neither a prefix of a class nor a class with trailing bytes is accepted. */
static void assert_refused_at_other_lengths(const unsigned char *bytes, size_t length)
{
    struct call_change change;
    for (size_t shorter = 0; shorter < length; shorter++)
        assert_int_equal(find(bytes, shorter, &change), CLASS_FILE_NOT_UNDERSTOOD);
    unsigned char *longer = malloc(length + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, length);
    longer[length] = 0;
    assert_int_equal(find(longer, length + 1, &change), CLASS_FILE_NOT_UNDERSTOOD);
    free(longer);
}

static void check_one(unsigned char *bytes, size_t length)
{
    struct call_change change;
    if (find(bytes, length, &change) == CLASS_FILE_WRONG)
        assert_valid_change(bytes, length, change);
}

/* Flips every bit of every byte, and sets every byte to its extremes. */
static void assert_survives_damage(unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char was = bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (unsigned char)(was ^ 1 << bit);
            check_one(bytes, length);
        }
        bytes[i] = 0;
        check_one(bytes, length);
        bytes[i] = 0xff;
        check_one(bytes, length);
        bytes[i] = was;
    }
}

TEST(any_other_length_is_not_understood)
{
    struct bytes class = class_with(1);
    assert_refused_at_other_lengths(class.at, class.length);
}

TEST(damaged_classes_never_yield_a_wrong_change)
{
    struct bytes class = class_with(1);
    assert_survives_damage(class.at, class.length);
}

TEST(a_pool_of_any_count_is_read_within_its_bytes)
{
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_code(&code, 1);
    for (unsigned count = 0; count <= UINT16_MAX; count++) {
        struct call_change change;
        assert_int_equal(find_in_parts(&pool, count, &code, code.length, &change),
                         count == CONSTANTS ? CLASS_FILE_WRONG : CLASS_FILE_NOT_UNDERSTOOD);
    }
}

static void check_file(const char *name)
{
    static unsigned char bytes[65536];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    struct call_change change;
    enum class_file_result result = find(bytes, length, &change);
    print_message("%s: %s\n", name,
                  result == CLASS_FILE_WRONG ? "wrong" : result == CLASS_FILE_RIGHT ? "right" : "odd");
    assert_int_not_equal(result, CLASS_FILE_NOT_UNDERSTOOD);
    if (result == CLASS_FILE_WRONG)
        assert_valid_change(bytes, length, change);
    assert_refused_at_other_lengths(bytes, length);
    assert_survives_damage(bytes, length);
}

TEST(real_classes_are_understood)
{
    char *files = getenv("CLASS_FILES");
    if (files == NULL) {
        print_message("SKIP: CLASS_FILES names no class files (no jimage in JAVA_HOME to take them from)\n");
        skip();
    }
    files = strdup(files);
    for (char *rest = files, *name; (name = strsep(&rest, ":")) != NULL;)
        check_file(name);
    free(files);
}
