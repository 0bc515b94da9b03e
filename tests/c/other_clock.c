/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: a clock_gettime that is not glibc's, as in libraries that change a program's time. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    return (int)syscall(SYS_clock_gettime, clock, time);
}
