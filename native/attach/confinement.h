/* SPDX-License-Identifier: Apache-2.0 */
#ifndef THREADCLOCK_CONFINEMENT_H
#define THREADCLOCK_CONFINEMENT_H

#include <sys/types.h>

/* The step that failed, as the letter that the parent gets (ConfinedChild.java). */
enum confinement_step {
    CONFINEMENT_PROCESS = 'p', /* the target has ended, or /proc does not show it */
    CONFINEMENT_ROOT = 'r', /* its root cannot be entered */
    CONFINEMENT_USER = 'u', /* its user cannot be taken */
    CONFINEMENT_SEALED = 'c' /* descriptors, capabilities or system calls cannot be given up */
};

struct confinement {
    pid_t pid; /* the target, as this process sees it */
    const char *start_time; /* field 22 of its stat file, so that no other process is taken for it */
    uid_t uid;
    gid_t gid;
};

/*
 * Turns a forked child into a process that its target may as well own: in the target's root, with its user
 * and group, and with nothing of its parent's but the one descriptor. *signal_fd is a pidfd of the target, or
 * -1 before Linux 5.3. Calls only what POSIX allows after a fork in a program with threads. 0, or the step
 * that failed, with errno set.
 */
int confinement_enter(const struct confinement *target, int kept, int *signal_fd);

#endif
