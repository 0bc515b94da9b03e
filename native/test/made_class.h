/* SPDX-License-Identifier: Apache-2.0 */
/* A class file built by hand: every kind of constant, many instructions, and any number of wrong calls. */
#ifndef TC_TEST_MADE_CLASS_H
#define TC_TEST_MADE_CLASS_H

#include "support.h"

#include <stdlib.h>
#include <string.h>

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

#endif
