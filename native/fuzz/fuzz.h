/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. libFuzzer calls LLVMFuzzerTestOneInput with one input after another. */
#ifndef TC_FUZZ_H
#define TC_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_assert(condition) ((condition) ? (void)0 : abort())

/* A copy in a block of exactly that size, so that the address sanitizer sees a read beyond it. Never null. */
static inline char *fuzz_copy(const uint8_t *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    fuzz_assert(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* The same as a null-terminated string. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    fuzz_assert(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

#endif
