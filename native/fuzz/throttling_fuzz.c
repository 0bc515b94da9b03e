/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the parsers of /proc/self/cgroup and mountinfo, which an empty line separates, and of cpu.stat. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>

#include "sys.h"

static long serve(long nr, long a, long b, long c, long d);
#define tc_syscall4 serve
#include "../account/throttling.c"

/* Every other folder is there. */
static long serve(long nr, long a, long b, long c, long d)
{
    (void)nr, (void)a, (void)d;
    ((struct stat *)c)->st_mode = S_IFDIR;
    return strlen((const char *)b) % 2 == 0 ? 0 : -ENOENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tc_cgroup_place places[PLACES_MAX];
    struct limit limit = {.period = 0};
    char *text = malloc(size + 1), *mounts;
    memcpy(text, data, size);
    text[size] = '\0';
    mounts = strstr(text, "\n\n");
    if (mounts != NULL) {
        *mounts = '\0';
        mounts += 2;
        size_t count = find_places(text, mounts, false, places);
        fuzz_assert(count <= PLACES_MAX);
        for (size_t i = 0; i < count; i++) {
            size_t length = strlen(places[i].folder);
            fuzz_assert(length >= places[i].mount_length && length + FILE_NAME_BYTES <= PATH_BYTES);
        }
    }
    if (parse_stat(text, &limit))
        fuzz_assert(limit.throttled_periods >= 0);
    if (parse_quota(text, mounts != NULL ? mounts : "", &limit) && limit.period != 0)
        fuzz_assert(limit.quota <= INT64_MAX && limit.period <= INT64_MAX);
    free(text);
    return 0;
}
