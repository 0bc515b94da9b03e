/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the parser of /proc/self/task/<tid>/stat: it reads only the text, and accepts only values in range.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "proc_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    const char *name;
    size_t name_size;
    uint64_t number;
    struct threadclock_times times = {-1, -1, -1};
    if (tc_proc_parse(text, size, 100, &times) == 0)
        fuzz_assert(times.user_ns >= 0 && times.system_ns >= 0
                    && times.total_ns == times.user_ns + times.system_ns);
    else
        fuzz_assert(times.user_ns == -1 && times.system_ns == -1 && times.total_ns == -1);
    if (tc_proc_name_and_field(text, size, 22, &name, &name_size, &number) == 0)
        fuzz_assert(name > text && name + name_size < text + size && number <= INT64_MAX);
    free(text);
    return 0;
}
