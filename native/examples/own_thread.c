/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The README's example: the times of the calling thread.
 * cc own_thread.c $(pkg-config --cflags --libs threadclock)
 */
#include <stdio.h>
#include <threadclock.h>

int main(void)
{
    struct threadclock_times times;
    if (threadclock_times_now(&times) != 0)
        return 1;
    printf("user %lld ns, system %lld ns, total %lld ns\n", (long long)times.user_ns,
           (long long)times.system_ns, (long long)times.total_ns);
}
