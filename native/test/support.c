/* SPDX-License-Identifier: Apache-2.0 */
/* What the C tests share: threads and children. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void in_new_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

pid_t raw_fork(void)
{
    return (pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0);
}

bool child_ended_well(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool true_in_child(pid_t (*fork)(void), bool (*check)(void *), void *argument)
{
    pid_t child = fork();
    assert_in_any_thread(child >= 0);
    if (child == 0)
        _exit(check(argument) ? 0 : 1);
    return child_ended_well(child);
}

int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoll(text, NULL, 10) : otherwise;
}
