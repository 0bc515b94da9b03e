/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a TID still belongs to the same thread: the kernel reuses it seconds after the thread's end.
 */
#ifndef TC_THREAD_IDENTITY_H
#define TC_THREAD_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

/*
 * inode: of /proc/self/task/<tid>, new for each thread (fs/proc/base.c, proc_pid_make_inode) and constant
 * while the kernel caches the name. So an equal inode means the same thread, but a different one does not
 * mean another thread; start then decides. start: the start time of the thread, in 1/USER_HZ since boot,
 * field 22 of its stat file. Of a thread that was registered when it had the TID, it is enough to know when:
 * the TID's earlier threads had ended, and later ones start later.
 */
struct tc_thread_identity {
    uint64_t inode; /* 0: not available here, or not asked for */
    uint64_t start;
    bool is_latest_start; /* it may have started earlier */
};

/* True if a thread with the same TID that started then is this one. */
static inline bool tc_thread_started(const struct tc_thread_identity *identity, uint64_t start)
{
    return start == identity->start || (identity->is_latest_start && start < identity->start);
}

enum { TC_NAME_BYTES = 16 }; /* TASK_COMM_LEN */

/*
 * Identity and name of a thread of this process: 0, -ESRCH: there is none, or the error that hides it. Four
 * system calls.
 */
TC_INTERNAL int tc_thread_identify(pid_t tid, struct tc_thread_identity *identity, char name[TC_NAME_BYTES]);

/*
 * Checks that the TID is still this thread's. inode: as a listing of /proc/self/task has just shown it, or 0
 * to look it up. Stores an inode that has changed. 0: it is; -ESRCH: it is another's or no thread's;
 * otherwise the error that prevents an answer (-EMFILE, -EPERM, ...), which says nothing about the thread. Up
 * to eight system calls.
 */
TC_INTERNAL int tc_thread_check(pid_t tid, uint64_t inode, struct tc_thread_identity *identity);

#endif
