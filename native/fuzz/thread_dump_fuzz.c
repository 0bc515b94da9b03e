/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the parser of thread dumps: it reaches the end of any text, and returns only valid TIDs. */
#include "fuzz.h"
#include "thread_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *dump = fuzz_string(data, size);
    const char *text = dump, *before = dump;
    struct thread_dump_line line;
    while (thread_dump_next(&text, &line)) {
        fuzz_assert(line.tid > 0 && line.id <= INT64_MAX);
        fuzz_assert(text > before && text <= dump + size);
        before = text;
    }
    fuzz_assert(*text == '\0');
    free(dump);
    return 0;
}
