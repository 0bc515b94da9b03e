/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts of the CPU time of virtual threads, which the kernel does not know: the sum of the slices of their
 * carriers' time between mount and unmount. A binding to a JVM reports these switches. And their groups: the
 * number, and the CPU time of all of their threads, including ended ones.
 */
#ifndef TC_VIRTUAL_THREADS_H
#define TC_VIRTUAL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys.h"
#include "threadclock.h"
#include "virtual_accounts.h"

/* Unchanged by a reading that fails. Five words, which Java code reads as longs. */
struct tc_virtual_times {
    struct threadclock_times times;
    tc_virtual account; /* differences are valid only between readings of one account */
    int64_t whole;      /* 0: the thread ran before its account began, and that time is missing */
};

/*
 * mount: from now on the calling thread, the carrier, runs this virtual thread, or the one with this id;
 * false: the account has ended, or there never was one. unmount: it no longer runs one. They take no lock
 * (mount_of rarely does), and make the system calls of the clock.
 */
TC_INTERNAL bool tc_virtual_mount(tc_virtual account);
TC_INTERNAL bool tc_virtual_mount_of(uint64_t id);
TC_INTERNAL void tc_virtual_unmount(void);

/*
 * The times of the virtual thread with this id, which is mounted on the calling thread: 0, -ENOENT: it has no
 * account, or a negative errno of the clock. A tick read is as of the last tick or mount, whichever is later;
 * if the clock of switches is tick, every read is.
 */
TC_INTERNAL int tc_virtual_own_times(uint64_t id, enum threadclock_freshness freshness,
                                     struct tc_virtual_times *times);

/*
 * The times of any virtual thread, now; without its current slice while it is switching quickly. 0, or
 * -ESRCH: its account has ended. One system call if it is mounted, and those of threadclock_tid_times if it
 * has been mounted for 50 ms.
 */
TC_INTERNAL int tc_virtual_times(tc_virtual account, struct tc_virtual_times *times);

enum { TC_GROUP_NAME_BYTES = 256, TC_THREAD_NAME_BYTES = 1024 };

/*
 * Writes what a thread's name shares with those of its pool, * for each number and id, truncated if it is
 * longer; returns its hash.
 */
TC_INTERNAL uint64_t tc_pool_name(const char *name, char *pool, size_t size);

/*
 * The group of threads with this name, by its tc_pool_name. Longer names are truncated. Groups are never
 * removed, so their number is limited: all later names belong to group 0, "(other virtual threads)". Takes no
 * lock if the group exists.
 */
TC_INTERNAL uint32_t tc_group_of(const char *name);

struct tc_virtual_group {
    const char *name; /* with * for each number; never freed */
    uint32_t threads; /* living */
    uint32_t mounted;
    struct threadclock_times times; /* since accounting was first switched on; none decreases */
};

/*
 * Reads the groups that have, or have had, threads, and returns their number. Visits as many accounts as ever
 * existed at once (128 bytes each), and reads the clock of each carrier.
 */
TC_INTERNAL uint32_t tc_virtual_groups(struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

#endif
