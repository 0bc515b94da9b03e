/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program, C and C++ alike: reads its own times after some work and checks that they make sense. */
#include <stdio.h>
#include <string.h>
#include <threadclock.h>

int main(int argc, char **argv)
{
    struct threadclock_times times;
    volatile unsigned long sink = 0;
    int64_t total;

    if (argc != 2 || strcmp(argv[1], threadclock_version()) != 0) {
        fprintf(stderr, "library version %s, expected %s\n", threadclock_version(),
                argc == 2 ? argv[1] : "(argument)");
        return 1;
    }
    do {
        sink = sink + 1;
        total = threadclock_total_now_ns();
    } while (total >= 0 && total < 50 * 1000 * 1000);
    if (total < 0 || threadclock_times_now(&times) != 0) {
        fprintf(stderr, "a read failed: %lld\n", (long long)total);
        return 1;
    }
    printf("user %lld system %lld total %lld\n", (long long)times.user_ns, (long long)times.system_ns,
           (long long)times.total_ns);
    if (times.total_ns < total || times.user_ns + times.system_ns > times.total_ns
        || times.user_ns + times.system_ns == 0)
        return 1;
    return threadclock_user_tick_ns() < 0;
}
