/* SPDX-License-Identifier: Apache-2.0 */
/* Known work for a thread, and clocks to measure it; for tests and benchmarks. */
#ifndef TC_LOADS_H
#define TC_LOADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cmocka's assertions work only in the thread that runs the test; this one ends the process from any. */
#define assert_in_any_thread(condition) \
    ((condition) ? (void)0 : fail_in_any_thread(#condition, __FILE__, __LINE__))
__attribute__((noreturn)) void fail_in_any_thread(const char *condition, const char *file, int line);

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

int64_t monotonic_ns(void);
void sleep_ns(long ns);
int64_t thread_cpu_ns(void); /* the kernel's precise clock, through libc: the reference */

/* Compares two int64_t, for qsort. */
int compare_ns(const void *a, const void *b);

/* Keeps the thread busy until it has used this much CPU time: in user mode, or in the kernel. */
void burn_user_ns(int64_t ns);

/*
 * For so long, and until the kernel's coarse clock has moved on: then nothing is cached any more. An emulated
 * CPU's ticks come late where its host is busy.
 */
void spin_past_a_tick(int64_t ns);
void burn_system_ns(int64_t ns);

/* The moment of a tick that has passed; the others are whole ticks away from it. Takes 25 ticks. */
int64_t tick_moment_ns(void);

/* Rounds of one tick each: busy in user mode only around the tick, or only between ticks. */
void burn_around_ticks(int rounds);
void burn_between_ticks(int rounds);

#ifdef __cplusplus
}
#endif

#endif
