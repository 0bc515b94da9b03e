/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the built library by dlopen, under the libc of this program, and reads: dlopen_smoke LIBRARY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static int64_t (*user_tick_ns)(void), (*total_tick_ns)(void), (*total_now_ns)(void);

static int64_t thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Reads for at least 50 ms, and until user time is 10 ms, because few ticks may find this thread on a loaded
 * machine. The values agree with the kernel's clock and never decrease. Returns a problem, or null.
 */
static void *read_for_a_while(void *unused)
{
    int64_t last_ns = 0, used_ns = 0, start_ns = thread_cpu_ns();
    while (used_ns < 50000000 || last_ns < 10000000) {
        if (used_ns > 5000000000)
            return "user time stands still";
        for (volatile int i = 0; i < 100000; i++) {
        }
        int64_t user_ns = user_tick_ns(), tick_ns = total_tick_ns(), now_ns = total_now_ns(),
                truth_ns = thread_cpu_ns();
        if (user_ns < last_ns || user_ns > tick_ns || tick_ns > now_ns || now_ns > truth_ns
            || truth_ns - now_ns > 40000000)
            return "a read is wrong";
        last_ns = user_ns;
        used_ns = truth_ns - start_ns;
    }
    return unused;
}

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "dlopen_smoke: %s\n", argc == 2 ? dlerror() : "usage: dlopen_smoke LIBRARY");
        return 1;
    }
    user_tick_ns = (int64_t (*)(void))dlsym(library, "threadclock_user_tick_ns");
    total_tick_ns = (int64_t (*)(void))dlsym(library, "threadclock_total_tick_ns");
    total_now_ns = (int64_t (*)(void))dlsym(library, "threadclock_total_now_ns");
    if (user_tick_ns == NULL || total_tick_ns == NULL || total_now_ns == NULL) {
        fprintf(stderr, "dlopen_smoke: %s\n", dlerror());
        return 1;
    }
    pthread_t thread;
    void *problem = read_for_a_while(NULL);
    if (problem == NULL
        && (pthread_create(&thread, NULL, read_for_a_while, NULL) != 0
            || pthread_join(thread, &problem) != 0))
        problem = "no thread";
    if (problem != NULL) {
        fprintf(stderr, "dlopen_smoke: %s\n", (char *)problem);
        return 1;
    }
    puts("ok");
    return 0;
}
