/* SPDX-License-Identifier: Apache-2.0 */
/* What the C tests share: threads and children. Include it first: it brings cmocka in the right order. */
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
