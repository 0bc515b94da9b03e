/* SPDX-License-Identifier: Apache-2.0 */
/* Takes system calls away from the calling process permanently, as a container's seccomp filter does. */
#ifndef TC_TEST_SECCOMP_H
#define TC_TEST_SECCOMP_H

/*
 * From now on these system calls fail with error in the calling thread and in threads that it starts. 0, or
 * -errno: filters cannot be installed here.
 */
int deny_system_calls(const long *numbers, int count, int error);
#define DENY(error, ...) \
    deny_system_calls((const long[]){__VA_ARGS__}, sizeof(long[]){__VA_ARGS__} / sizeof(long), error)

/* Only madvise(MADV_WIPEONFORK) fails, with EINVAL: a kernel before 4.14. */
int deny_wipe_on_fork(void);

/*
 * trap: the system call is not made, and raises SIGSYS instead. kill: it ends the process by SIGSYS, which
 * cannot be caught.
 */
int trap_system_call(long number);
int kill_on_system_call(long number);

/*
 * These system calls of the calling thread go to answer, in a signal handler, which returns what another
 * kernel would. It asks this kernel through kernels_answer. A call made while all signals are blocked ends
 * the process. 0, or -errno.
 */
typedef long answer_function(long number, const long arguments[6]);
int answer_system_calls(const long *numbers, int count, answer_function *answer);
#define ANSWER(answer, ...) \
    answer_system_calls((const long[]){__VA_ARGS__}, sizeof(long[]){__VA_ARGS__} / sizeof(long), answer)

/* The same for every system call but the return from a handler. */
int answer_all_system_calls(answer_function *answer);
long kernels_answer(long number, const long arguments[6]);

#endif
