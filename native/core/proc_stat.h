/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The legacy path, user and system time from /proc/self/task/<tid>/stat; and how long a thread was runnable
 * and waited for a CPU, from /proc/self/task/<tid>/schedstat.
 */
#ifndef TC_PROC_STAT_H
#define TC_PROC_STAT_H

#include <stddef.h>

#include "sys.h"
#include "threadclock.h"

/*
 * Parses the first size bytes of a stat file whose times are in units of 1/user_hz s. 0, or -EBADMSG: not a
 * stat line, truncated before the end of the system time, or a number out of range.
 */
TC_INTERNAL int tc_proc_parse(const char *text, size_t size, int64_t user_hz,
                              struct threadclock_times *times);

/* Reads a number, which a space or a newline must follow; advances *text past that. 0, or -EBADMSG. */
TC_INTERNAL int tc_proc_number(const char **text, const char *end, uint64_t *number);

enum { TC_PROC_BYTES = 1024, TC_PROC_PATH_BYTES = 48 };

/* /proc/self/task/<tid><rest>; without libc's formatting, because this may run in a signal handler. */
TC_INTERNAL void tc_proc_path(char path[TC_PROC_PATH_BYTES], pid_t tid, const char *rest);

/* Reads a file: the number of bytes, or a negative errno (-ESRCH: the thread ended between open and read). */
TC_INTERNAL long tc_proc_read(const char *path, char *text, size_t size);

/*
 * The text between the brackets (name, its length) and the number in this field, counted from 1 as in
 * proc(5), at least 4. 0, or -EBADMSG.
 */
TC_INTERNAL int tc_proc_name_and_field(const char *text, size_t size, int field, const char **name,
                                       size_t *name_size, uint64_t *number);

/*
 * Checks that /proc shows this process under its own PID and TIDs. 0; -EREMOTE: it belongs to another PID
 * namespace, so its TIDs are other threads' here; -ENOENT: it is not mounted (chroot), or shows a namespace
 * that does not contain this process; otherwise the error that prevents an answer. Four system calls.
 */
TC_INTERNAL int tc_proc_check(void);

/* The units of /proc per second (USER_HZ): from the auxiliary vector, or 100 without an entry there. */
TC_INTERNAL int64_t tc_proc_user_hz(void);

/*
 * The second field of a schedstat file, if the first, the run time, is at least ran_ns. 0 or more, or
 * -EBADMSG: not three numbers; -ENODATA: the kernel does not count (all zero, without CONFIG_SCHED_INFO);
 * -ESRCH: the run time is less, so this is another thread, which has reused the TID.
 */
TC_INTERNAL int64_t tc_run_queue_parse(const char *text, size_t size, int64_t ran_ns);

/*
 * Nanoseconds that a thread of this process has waited since it started, counted when a wait ends
 * (sched_info_arrive in kernel/sched/stats.h): the value cannot change while the run time does not. ran_ns is
 * a run time of the thread that its clock has shown before. A negative errno as above, or -ESRCH: it has
 * ended, or of the file. Three system calls.
 */
TC_INTERNAL int64_t tc_run_queue_waited_ns(pid_t tid, int64_t ran_ns);

#endif
