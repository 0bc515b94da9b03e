/* SPDX-License-Identifier: Apache-2.0 */
/* A library that imports clock_gettime, for import_test.c; or, with NO_IMPORT, does not. */
#include <time.h>

int sample_call(clockid_t clock, struct timespec *time);
const char *sample_text(void);

#ifdef NO_IMPORT
int sample_call(clockid_t clock, struct timespec *time)
{
    *time = (struct timespec){0};
    return (int)clock & 0;
}
#else
int sample_call(clockid_t clock, struct timespec *time)
{
    return clock_gettime(clock, time);
}
#endif

const char *sample_text(void)
{
    return "/proc/of the sample/%d";
}
