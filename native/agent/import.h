/* SPDX-License-Identifier: Apache-2.0 */
/* The place where a loaded library keeps the address of a function that it imports, and how to change it. */
#ifndef TC_AGENT_IMPORT_H
#define TC_AGENT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/* A word of a library's global offset table, through which all of the library's calls of one function go. */
struct import {
    void **place;
    bool read_only; /* RELRO: the dynamic linker removed write access after it had loaded the library */
};

/*
 * Finds the place of this function in the library that contains the address. Uses the program headers and the
 * dynamic section in memory, so the library's file may be gone. 0, or -1 with a sentence in problem.
 */
TC_INTERNAL int import_find(const void *address, const char *function, struct import *import, char *problem,
                            size_t problem_size);

TC_INTERNAL void *import_get(const struct import *import);

/*
 * Puts function in the place of expected, in one store, and leaves the page as protected as it was. 0;
 * -EAGAIN: something else is there, and stays; or the negative errno of mprotect: the word is unchanged, but
 * the page may be writable now.
 */
TC_INTERNAL int import_replace(const struct import *import, void *expected, void *function);

/* True if the library that contains the address has this text, with its final zero, among its constants. */
TC_INTERNAL bool import_library_has_text(const void *address, const char *text);

#endif
