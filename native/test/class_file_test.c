/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in class files: one that occurs once is changed, and nothing else, in any bytes. The class is built
 * here, with every kind of constant and instruction; CLASS_FILES=file:file adds real ones.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class_file.h"
#include "redefinition.h"

/* A class file built by hand: every kind of constant, many instructions, and any number of such calls. */
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

enum { CONSTANTS = 31 };

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

#define THREAD_IMPL "sun/management/ThreadImpl"
static const struct call_change fix = {"getThreadUserTime", "([J)[J", CALL_STATIC,
                                       {THREAD_IMPL, "getThreadTotalCpuTime0", "(J)J"},
                                       {THREAD_IMPL, "getThreadUserCpuTime0", "(J)J"}};

/* Changes a class in a block of exactly this size, so that a sanitizer sees a read beyond it. */
static int change_as(const char *class_name, const unsigned char *bytes, size_t length,
                     const struct call_change *changes, size_t count, struct class_bytes *changed)
{
    unsigned char *exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    *changed = (struct class_bytes){NULL, 0};
    int result = class_file_change(class_name, exact + (length > 0 ? 0 : 1), length, changes, count, changed);
    free(exact);
    return result;
}

static int change(const unsigned char *bytes, size_t length, struct class_bytes *changed)
{
    return change_as(THREAD_IMPL, bytes, length, &fix, 1, changed);
}

/*
 * The changed class is the original with more constants and, of what follows them, three bytes of each call
 * changed; it no longer makes those calls.
 */
static void assert_valid(const char *class_name, const unsigned char *bytes, size_t length,
                         const struct call_change *changes, size_t count, struct class_bytes *changed)
{
    struct class_bytes again;
    assert_true(changed->length > length);
    size_t added = changed->length - length, same = 0, end_of_pool = 10, different = 0;
    assert_memory_equal(changed->bytes, bytes, 8);
    assert_int_equal(changed->bytes[8] << 8 | changed->bytes[9], (bytes[8] << 8 | bytes[9]) + 6 * (int)count);
    while (end_of_pool < length && bytes[end_of_pool] == changed->bytes[end_of_pool])
        end_of_pool++;
    for (size_t i = end_of_pool; i < length; i++) {
        bool is_same = bytes[i] == changed->bytes[i + added];
        same += is_same;
        different += !is_same;
    }
    assert_true(different >= count && different <= 3 * count && same > 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(change_as(class_name, changed->bytes, changed->length, &changes[i], 1, &again), -1);
    free(changed->bytes);
}

static int calls_in_parts(const struct bytes *pool, unsigned count, const struct bytes *code, size_t length)
{
    unsigned char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact + 1, code->at, length);
    int calls = class_parts_calls(pool->at, pool->length, (uint16_t)count, exact + 1, length, fix.kind,
                                  &fix.from);
    free(exact);
    return calls;
}

TEST(one_call_is_changed_and_none_or_two_are_not)
{
    for (int calls = 0; calls <= 2; calls++) {
        struct bytes class = class_with(calls), pool = {.length = 0}, code = {.length = 0};
        put_pool(&pool);
        put_code(&code, calls);
        struct class_bytes changed;
        assert_int_equal(change(class.at, class.length, &changed), calls == 1 ? 0 : -1);
        assert_int_equal(calls_in_parts(&pool, CONSTANTS, &code, code.length), calls);
        if (calls == 1)
            assert_valid(THREAD_IMPL, class.at, class.length, &fix, 1, &changed);
    }
}

/* A call of another kind is another call. */
TEST(a_virtual_call_becomes_a_static_one)
{
    struct bytes class = class_with(1), code = {.length = 0};
    struct call_change virtual_fix = fix;
    struct class_bytes changed;
    virtual_fix.kind = CALL_VIRTUAL;
    assert_int_equal(change_as(THREAD_IMPL, class.at, class.length, &virtual_fix, 1, &changed), -1);
    put_hex(&code, "b6000a b1");
    class.length = 0;
    put_class(&class, &code);
    assert_int_equal(change_as(THREAD_IMPL, class.at, class.length, &virtual_fix, 1, &changed), 0);
    assert_valid(THREAD_IMPL, class.at, class.length, &virtual_fix, 1, &changed);
}

/* Of two changes, both are made or none. */
TEST(each_of_several_calls_must_be_there)
{
    struct bytes class = class_with(1);
    struct call_change both[] = {fix, fix};
    struct class_bytes changed;
    both[1].method = "getThreadUserCpuTime0"; /* a native, and one with the same code */
    both[1].descriptor = "(J)J";
    assert_int_equal(change_as(THREAD_IMPL, class.at, class.length, both, 2, &changed), -1);
    both[1].descriptor = "([J)[J";
    assert_int_equal(change_as(THREAD_IMPL, class.at, class.length, both, 2, &changed), 0);
    assert_valid(THREAD_IMPL, class.at, class.length, both, 2, &changed);
}

/* Changes the class after the bytes `instead`, which must occur once, were replaced by `with`. */
static int change_with(const char *instead, const char *with, size_t length)
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
    struct class_bytes changed;
    int result = change(class.at, class.length, &changed);
    free(changed.bytes);
    return result;
}

TEST(other_names_are_not_taken_for_these)
{
    assert_int_equal(change_with("getThreadTotalCpuTime0", "getThreadTotalCpuTime0", 22), 0);
    assert_int_equal(change_with("getThreadTotalCpuTime0", "getThreadTotalCpuTime1", 22), -1);
    assert_int_equal(change_with("getThreadUserCpuTime0", "getThreadUserCpuTime1", 21), -1);
    assert_int_equal(change_with("getThreadUserTime", "getThreadUserTim2", 17), -1);
    assert_int_equal(change_with("([J)[J", "([I)[J", 6), -1);
    assert_int_equal(change_with("sun/management", "sub/management", 14), -1);
}

TEST(the_intended_method_must_be_static)
{
    assert_int_equal(change_with("\1\010\0\5\0\6\0\0", "\1\000\0\5\0\6\0\0", 8), -1);
}

/* Taken for a longer instruction, it hides the call after it; for a shorter one, a bad opcode follows. */
static void assert_length_is_known(const char *instruction)
{
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_hex(&code, instruction);
    put_hex(&code, wrong_call);
    put_hex(&code, end);
    assert_int_equal(calls_in_parts(&pool, CONSTANTS, &code, code.length), 1);
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
    static const int calls[] = {0, 0, -1, -1, 1};
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_hex(&code, "00 b8000a");
    for (size_t length = 0; length < sizeof calls / sizeof *calls; length++)
        assert_int_equal(calls_in_parts(&pool, CONSTANTS, &code, length), calls[length]);
}

TEST(a_pool_too_large_is_not_understood)
{
    enum { MANY = 65534 };
    static unsigned char pool[MANY * 3]; /* an empty Utf8 each */
    for (size_t i = 0; i < MANY; i++)
        pool[3 * i] = 1;
    assert_int_equal(class_parts_calls(pool, sizeof pool, MANY + 1, pool, 0, fix.kind, &fix.from), -1);
    assert_int_equal(class_parts_calls(pool, 3 * 4095, 4096, pool, 0, fix.kind, &fix.from), 0);
}

/* A JVM whose class has one method, with the name and descriptor that are looked for, and no code. */
static int calls_left;     /* until a call fails */
static jvmtiError failure; /* then; JVMTI_ERROR_NONE: none does */

static jvmtiError next_call(void)
{
    return calls_left-- == 0 ? failure : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL the_methods(jvmtiEnv *jvmti, jclass class, jint *count, jmethodID **methods)
{
    *count = 1;
    *methods = calloc(1, sizeof **methods);
    return next_call();
}

static jvmtiError JNICALL the_name(jvmtiEnv *jvmti, jmethodID method, char **name, char **descriptor,
                                   char **generic)
{
    *name = strdup("a");
    *descriptor = strdup("()V");
    return next_call();
}

static jvmtiError JNICALL any_capability(jvmtiEnv *jvmti, const jvmtiCapabilities *capabilities)
{
    return next_call();
}

static jvmtiError JNICALL no_code(jvmtiEnv *jvmti, jmethodID method, jint *length, unsigned char **code)
{
    *length = 0;
    return next_call();
}

static jvmtiError JNICALL no_constants(jvmtiEnv *jvmti, jclass class, jint *count, jint *length,
                                       unsigned char **constants)
{
    *count = 1;
    *length = 0;
    return next_call();
}

static jvmtiError JNICALL give_back(jvmtiEnv *jvmti, unsigned char *memory)
{
    free(memory);
    return JVMTI_ERROR_NONE;
}

/* Without memory nothing is known: the class may still make the calls. */
TEST(a_look_without_memory_is_told_from_a_missing_call)
{
    enum { CALLS = 5 };
    const struct jvmtiInterface_1_ functions = {
        .GetClassMethods = the_methods, .GetMethodName = the_name, .AddCapabilities = any_capability,
        .GetBytecodes = no_code, .GetConstantPool = no_constants, .Deallocate = give_back};
    jvmtiEnv jvmti = &functions;
    for (int call = 0; call <= CALLS; call++) {
        calls_left = call;
        failure = JVMTI_ERROR_OUT_OF_MEMORY;
        assert_int_equal(class_calls(&jvmti, NULL, "a", "()V", fix.kind, &fix.from),
                         call < CALLS ? -ENOMEM : 0);
        calls_left = call;
        failure = JVMTI_ERROR_INVALID_CLASS;
        assert_int_equal(class_calls(&jvmti, NULL, "a", "()V", fix.kind, &fix.from), call < CALLS ? -1 : 0);
    }
    assert_int_equal(class_calls(&jvmti, NULL, "b", "()V", fix.kind, &fix.from), -1);
}

/* A class and what is to be changed in it. */
struct subject {
    const char *name;
    const struct call_change *changes;
    size_t count;
};

static void check_one(const struct subject *subject, const unsigned char *bytes, size_t length)
{
    struct class_bytes changed;
    if (change_as(subject->name, bytes, length, subject->changes, subject->count, &changed) == 0)
        assert_valid(subject->name, bytes, length, subject->changes, subject->count, &changed);
}

/* Neither a prefix of a class nor a class with trailing bytes is accepted. */
static void assert_refused_at_other_lengths(const struct subject *subject, const unsigned char *bytes,
                                            size_t length)
{
    struct class_bytes changed;
    unsigned char *longer = malloc(length + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, length);
    longer[length] = 0;
    for (size_t other = 0; other <= length + 1; other++)
        if (other != length)
            assert_int_equal(change_as(subject->name, longer, other, subject->changes, subject->count,
                                       &changed), -1);
    free(longer);
}

/* Flips every bit of every byte, and sets every byte to its extremes. */
static void assert_survives_damage(const struct subject *subject, unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char was = bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (unsigned char)(was ^ 1 << bit);
            check_one(subject, bytes, length);
        }
        bytes[i] = 0;
        check_one(subject, bytes, length);
        bytes[i] = 0xff;
        check_one(subject, bytes, length);
        bytes[i] = was;
    }
}

static const struct subject thread_impl = {THREAD_IMPL, &fix, 1};

TEST(any_other_length_is_not_understood)
{
    struct bytes class = class_with(1);
    assert_refused_at_other_lengths(&thread_impl, class.at, class.length);
}

TEST(damaged_classes_never_yield_a_wrong_change)
{
    struct bytes class = class_with(1);
    assert_survives_damage(&thread_impl, class.at, class.length);
}

TEST(a_pool_of_any_count_is_read_within_its_bytes)
{
    struct bytes pool = {.length = 0}, code = {.length = 0};
    put_pool(&pool);
    put_code(&code, 1);
    for (unsigned count = 0; count <= UINT16_MAX; count++)
        assert_int_equal(calls_in_parts(&pool, count, &code, code.length), count == CONSTANTS ? 1 : -1);
}

static void check_file(const struct subject *subject, const char *name)
{
    static unsigned char bytes[65536];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    check_one(subject, bytes, length);
    assert_refused_at_other_lengths(subject, bytes, length);
    assert_survives_damage(subject, bytes, length);
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
        check_file(&thread_impl, name);
    free(files);
}
