/* SPDX-License-Identifier: Apache-2.0 */
/* What the C tests share: threads and children. Include it first, because cmocka needs headers before it. */
#ifndef TC_TEST_SUPPORT_H
#define TC_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads.h"
#include "threadclock.h"

/*
 * A test, named by the behaviour. Those of a file run in their order there; a file whose tests need nothing
 * else has no main of its own.
 */
#define TEST(name) TEST_WITH(name, NULL, NULL)

enum { FIRST_PRIORITY = 1000 }; /* smaller ones belong to the compiler and the C library */

/* The same after a function that sets up, and before one that tears down. */
#define TEST_WITH(name, set_up, tear_down)                                               \
    static void name(void **state);                                                      \
    __attribute__((constructor(FIRST_PRIORITY + __LINE__))) static void add_##name(void) \
    {                                                                        \
        add_test((struct CMUnitTest){#name, name, set_up, tear_down, NULL});             \
    }                                                                                    \
    static void name(void **state)

/* The same in a new thread, for assert_in_any_thread. */
#define TEST_IN_NEW_THREAD(name)                \
    static void name##_here(void);              \
    static void *name##_in_thread(void *unused) \
    {                                           \
        name##_here();                          \
        return unused;                          \
    }                                           \
    TEST(name)                                  \
    {                                           \
        in_new_thread(name##_in_thread, NULL);  \
    }                                           \
    static void name##_here(void)

/*
 * The same in a child, which may install filters (seccomp.h), of a function that returns whether all was
 * right. why_not: the reason for which it cannot run here; null: there is none.
 */
#define TEST_IN_FILTERED_CHILD(name, why_not)     \
    static bool name##_there(void *unused);       \
    TEST(name)                                    \
    {                                             \
        in_filtered_child(name##_there, why_not); \
    }                                             \
    static bool name##_there(void *unused)

#define UNLESS_SIGNALS_ARE_HELD_BACK \
    UNDER_THREAD_SANITIZER ? "the sanitizer holds signals back until the thread calls the C library" : NULL

void in_filtered_child(bool (*check)(void *), const char *why_not);

void add_test(struct CMUnitTest test);

/* For main: runs the tests that have been added; or none, and prints why. */
int run_added_tests(void);
int skip_all(const char *reason);

/* Runs body in a new thread and waits for it. */
void in_new_thread(void *(*body)(void *), void *argument);

/* pthread_join returns shortly before the kernel has released the thread. */
void wait_until_released(pid_t tid);

/* Forks by the raw system call, which runs no pthread_atfork handlers. */
pid_t raw_fork(void);

/* Runs check in a child made by fork; true if it returned true there. */
bool true_in_child(pid_t (*fork)(void), bool (*check)(void *), void *argument);
bool child_ended_well(pid_t child);

/*
 * The thread sanitizer's run-time library adds a thread to the process, does not support raw forks or
 * concurrent forks, and defers signals until a thread calls the C library.
 */
#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER 1
#else
#define UNDER_THREAD_SANITIZER 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER 1
#else
#define UNDER_ADDRESS_SANITIZER 0
#endif

/*
 * Seccomp filters of system calls (seccomp.h); tried in a child: emulators have none, and kernels may be
 * built without.
 */
bool filters_can_be_installed(void);
#define NO_FILTERS "seccomp filters cannot be installed here"

bool pid_namespaces_can_be_made(void);

/* The number of threads that the kernel has for this process, including those of run-time libraries. */
int tasks_of_process(void);

/* Skips the test, with a reason that is shown in the results. */
void skip_because(const char *reason);

/* Which source threadclock_describe says a read has; THREADCLOCK_SOURCE_NONE if it fails. */
static inline enum threadclock_source_id source_of(enum threadclock_quantity quantity,
                                                   enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    return threadclock_describe(quantity, freshness, &source) == 0 ? source.id : THREADCLOCK_SOURCE_NONE;
}

/* The calling thread's times by getrusage, without threadclock; the total is their sum. */
struct threadclock_times times_by_getrusage(void);

/* From now on, SIGALRM interrupts the process this often, and runs handler. 0: no longer. */
void alarm_every_us(long us, void (*handler)(int));

/* A number from the environment, for longer or shorter runs of the same test. */
int64_t setting(const char *name, int64_t otherwise);

#endif
