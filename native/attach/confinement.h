/* SPDX-License-Identifier: Apache-2.0 */
#ifndef THREADCLOCK_CONFINEMENT_H
#define THREADCLOCK_CONFINEMENT_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "sys.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* The step that failed, as the letter that the parent gets (ConfinedChild.java). */
enum confinement_step {
    CONFINEMENT_PROCESS = 'p', /* the target has ended, or /proc is another PID namespace's (EREMOTE) */
    CONFINEMENT_ROOT = 'r', /* its root cannot be entered */
    CONFINEMENT_USER = 'u', /* its user cannot be taken */
    CONFINEMENT_SEALED = 'c' /* descriptors, capabilities or system calls cannot be given up */
};

struct confinement {
    pid_t pid; /* the target, as this process sees it */
    pid_t tid; /* of a thread of it that runs: the first may have ended */
    uint64_t start_time; /* field 22 of its stat file, so that no other process is taken for it */
    uid_t uid;
    gid_t gid;
};

/*
 * Turns a forked child into a process that is harmless in its target's hands: in the target's root, with its
 * user and group, and with nothing of its parent's but the one descriptor. *signal_fd is a pidfd of the
 * target, or -1 before Linux 5.3. Allocates nothing and takes no lock. 0, or the step that failed, with errno
 * set.
 */
TC_INTERNAL int confinement_enter(const struct confinement *target, int kept, int *signal_fd);

#endif
