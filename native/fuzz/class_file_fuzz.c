/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the search for a wrong call in class files and their parts: it reads and changes nothing beyond. */
#include "class_file.h"
#include "fuzz.h"

/* The parts: the first two bytes are the pool's count, the next two its length. */
static void in_parts(const uint8_t *data, size_t size)
{
    struct call_change change;
    if (size < 4)
        return;
    size_t pool_size = (size_t)data[2] << 8 | data[3], rest = size - 4;
    pool_size = pool_size < rest ? pool_size : rest;
    char *pool = fuzz_copy(data + 4, pool_size), *code = fuzz_copy(data + 4 + pool_size, rest - pool_size);
    if (class_parts_find((const unsigned char *)pool, pool_size, (uint16_t)(data[0] << 8 | data[1]),
                         (const unsigned char *)code, rest - pool_size, &change)
        == CLASS_FILE_WRONG)
        fuzz_assert(change.offset + 2 <= rest - pool_size);
    free(pool);
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call_change change;
    char *bytes = fuzz_copy(data, size);
    if (class_file_find((const unsigned char *)bytes, size, &change) == CLASS_FILE_WRONG)
        fuzz_assert(change.offset + 2 <= size);
    free(bytes);
    in_parts(data, size);
    return 0;
}
