/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a TID is still the same thread's: the kernel gives it to another within seconds of the first one's end. */
#ifndef TC_THREAD_IDENTITY_H
#define TC_THREAD_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * inode: of /proc/self/task/<tid>, made anew for each thread (fs/proc/base.c, proc_pid_make_inode) and kept while the kernel
 * keeps the name in its cache; so an equal one is the same thread, another one may be. start: when the thread started, in
 * 1/USER_HZ since boot, field 22 of its stat file; decides then.
 */
struct tc_thread_identity {
    uint64_t inode;
    uint64_t start;
};

enum { TC_NAME_BYTES = 16 }; /* TASK_COMM_LEN */

/* Identity and name of a thread of this process: 0, or -ESRCH, ... System calls: four. */
__attribute__((visibility("hidden"))) int tc_thread_identify(pid_t tid, struct tc_thread_identity *identity,
                                                             char name[TC_NAME_BYTES]);

/*
 * Is the TID still this thread's? inode: as a listing of /proc/self/task has just shown it, or 0: to be asked for. Takes
 * over an inode that has changed. System calls: none to five.
 */
__attribute__((visibility("hidden"))) bool tc_thread_is(pid_t tid, uint64_t inode, struct tc_thread_identity *identity);

#endif
