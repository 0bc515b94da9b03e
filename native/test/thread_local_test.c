/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library allocates the thread-local storage of a library that is loaded late at a thread's first use
 * of it. That must never happen while a lock of ours is held (signals are blocked then), because malloc has
 * its own locks, and a handler that interrupts it may wait for ours.
 */
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static __thread bool within; /* during a call of the library */
static __thread int allocations, under_lock;

void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    sigset_t blocked;
    if (within && pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0) {
        allocations++;
        under_lock += sigismember(&blocked, SIGTERM);
    }
    return __libc_malloc(size);
}

static struct {
    int64_t (*user_tick_ns)(void), (*total_now_ns)(void), (*total_interpolated_ns)(void);
    int (*times_tick)(struct threadclock_times *), (*times_now)(struct threadclock_times *);
    int (*thread_register)(threadclock_thread *), (*thread_unregister)(void);
    int64_t (*all_threads)(struct threadclock_thread_row *, size_t);
} library;

static struct threadclock_times times;
static struct threadclock_thread_row rows[2];
static threadclock_thread handle;

static void read_user(void) { library.user_tick_ns(); }
static void read_total(void) { library.total_now_ns(); }
static void interpolate(void) { library.total_interpolated_ns(); }
static void read_times(void) { library.times_tick(&times); }
static void read_times_now(void) { library.times_now(&times); }
static void read_all(void) { library.all_threads(rows, 2); }
static void not_registered(void) { library.thread_unregister(); }

static void register_first(void)
{
    library.thread_register(&handle);
    library.user_tick_ns();
    library.thread_unregister();
}

static void (*const calls[])(void) = {read_user, read_total, interpolate, read_times, read_times_now,
                                      read_all, not_registered, register_first};
enum { CALLS = sizeof calls / sizeof calls[0] };
static int allocated;

static void *call_first(void *call)
{
    within = true;
    (*(void (*const *)(void))call)();
    within = false;
    allocated += allocations;
    assert_in_any_thread(under_lock == 0);
    return NULL;
}

/* Each function runs in its own thread, as that thread's first use of the library. */
TEST(nothing_is_allocated_under_a_lock)
{
    for (int i = 0; i < CALLS; i++)
        in_new_thread(call_first, (void *)&calls[i]);
    if (allocated == 0)
        skip_because("the C library has room for it in advance");
}

static void *symbol(void *opened, const char *name)
{
    void *found = dlsym(opened, name);
    assert_in_any_thread(found != NULL);
    return found;
}

int main(int argc, char **argv)
{
    void *opened = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (opened == NULL) {
        fprintf(stderr, "thread_local_test: %s\n",
                argc == 2 ? dlerror() : "usage: thread_local_test LIBRARY");
        return 1;
    }
    library.user_tick_ns = (int64_t (*)(void))symbol(opened, "threadclock_user_tick_ns");
    library.total_now_ns = (int64_t (*)(void))symbol(opened, "threadclock_total_now_ns");
    library.total_interpolated_ns = (int64_t (*)(void))symbol(opened, "threadclock_total_interpolated_ns");
    library.times_tick = (int (*)(struct threadclock_times *))symbol(opened, "threadclock_times_tick");
    library.times_now = (int (*)(struct threadclock_times *))symbol(opened, "threadclock_times_now");
    library.thread_register = (int (*)(threadclock_thread *))symbol(opened, "threadclock_thread_register");
    library.thread_unregister = (int (*)(void))symbol(opened, "threadclock_thread_unregister");
    library.all_threads = (int64_t (*)(struct threadclock_thread_row *, size_t))symbol(
        opened, "threadclock_all_threads");
    return run_added_tests();
}
#else
int main(void)
{
    return skip_all("it puts a malloc in the place of glibc's, where no sanitizer has its own");
}
#endif
