/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, children, skips and settings for the C tests. */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seccomp.h"

void in_new_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

void wait_until_released(pid_t tid)
{
    while (syscall(SYS_tgkill, getpid(), tid, 0) == 0)
        usleep(100);
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

/* A crash ends the process: cmocka's handlers would continue with the next test in the child. */
static void leave_crashes_to_the_kernel(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
}

bool true_in_child(pid_t (*fork)(void), bool (*check)(void *), void *argument)
{
    pid_t child = fork();
    assert_in_any_thread(child >= 0);
    if (child == 0) {
        leave_crashes_to_the_kernel();
        _exit(check(argument) ? 0 : 1);
    }
    return child_ended_well(child);
}

static bool no_parent_is_told(void *unused)
{
    return DENY(EPERM, SYS_getppid) == 0 && syscall(SYS_getppid) == -1;
}

bool filters_can_be_installed(void)
{
    return true_in_child(fork, no_parent_is_told, NULL);
}

void in_filtered_child(bool (*check)(void *), const char *why_not)
{
    if (why_not != NULL)
        skip_because(why_not);
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    assert_true(true_in_child(fork, check, NULL));
}

static bool may_unshare(void *unused)
{
    return unshare(CLONE_NEWPID) == 0;
}

bool pid_namespaces_can_be_made(void)
{
    return true_in_child(fork, may_unshare, NULL);
}

int tasks_of_process(void)
{
    int tasks = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_in_any_thread(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        tasks += entry->d_name[0] != '.';
    closedir(folder);
    return tasks;
}

void skip_because(const char *reason)
{
    print_message("SKIP: %s\n", reason);
    skip();
}

static int64_t timeval_ns(struct timeval tv)
{
    return (int64_t)tv.tv_sec * NS_PER_S + (int64_t)tv.tv_usec * 1000;
}

struct threadclock_times times_by_getrusage(void)
{
    struct rusage usage;
    assert_in_any_thread(getrusage(RUSAGE_THREAD, &usage) == 0);
    int64_t user_ns = timeval_ns(usage.ru_utime), system_ns = timeval_ns(usage.ru_stime);
    return (struct threadclock_times){user_ns, system_ns, user_ns + system_ns};
}

void alarm_every_us(long us, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, us}, {0, us}};
    if (us > 0)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoll(text, NULL, 10) : otherwise;
}
