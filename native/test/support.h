/* SPDX-License-Identifier: Apache-2.0 */
/* What the C tests share: clocks, loads, threads and children. Include it first: it brings cmocka in the right order. */
#ifndef TC_TEST_SUPPORT_H
#define TC_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "threadclock.h"

/* cmocka's assertions are for the thread that runs the test; this one ends the process from any. */
#define assert_in_any_thread(condition) \
    ((condition) ? (void)0 : fail_in_any_thread(#condition, __FILE__, __LINE__))
_Noreturn void fail_in_any_thread(const char *condition, const char *file, int line);

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

int64_t monotonic_ns(void);
int64_t thread_cpu_ns(void); /* the kernel's precise clock, by libc: the truth */

/* Keeps the thread busy for this much of its CPU time: in user mode, in the kernel. */
void burn_user_ns(int64_t ns);
void burn_system_ns(int64_t ns);

/* Rounds of one tick each: busy in user mode only around the tick, or only between ticks. */
void burn_around_ticks(int rounds);
void burn_between_ticks(int rounds);

/* Runs body in a new thread and waits for it. */
void in_new_thread(void *(*body)(void *), void *argument);

/* The child of the system call itself, which no pthread_atfork handler sees. */
pid_t raw_fork(void);

/* Runs check in a child made by fork; true if it returned true there. */
bool true_in_child(pid_t (*fork)(void), bool (*check)(void *), void *argument);
bool child_ended_well(pid_t child);

/* A number from the environment, for longer or shorter runs of the same test. */
int64_t setting(const char *name, int64_t otherwise);

#endif
