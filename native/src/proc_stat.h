/* SPDX-License-Identifier: Apache-2.0 */
/* The legacy path: user and system time out of /proc/self/task/<tid>/stat. */
#ifndef TC_PROC_STAT_H
#define TC_PROC_STAT_H

#include <stddef.h>

#include "threadclock.h"

/*
 * Parses the first size bytes of a stat file whose times are in units of 1/user_hz s.
 * 0, or -EBADMSG: not a stat line, cut off before the system time ended, or a number out of range.
 */
__attribute__((visibility("hidden"))) int tc_proc_parse(const char *text, size_t size, int64_t user_hz,
                                                        struct threadclock_times *times);

enum { TC_PROC_BYTES = 1024, TC_PROC_PATH_BYTES = 48 };

/* /proc/self/task/<tid><rest>; no libc formatting, for this may run in a signal handler. */
__attribute__((visibility("hidden"))) void tc_proc_path(char path[TC_PROC_PATH_BYTES], pid_t tid, const char *rest);

/* Reads a file: how many bytes, or a negative errno (-ESRCH: the thread ended between open and read). */
__attribute__((visibility("hidden"))) long tc_proc_read(const char *path, char *text, size_t size);

/*
 * What stands between the brackets (name, its length) and the number in this field, counted from 1 as in proc(5), 4 at least.
 * 0, or -EBADMSG.
 */
__attribute__((visibility("hidden"))) int tc_proc_name_and_field(const char *text, size_t size, int field, const char **name,
                                                                 size_t *name_size, uint64_t *number);

/* What one second has of the units of /proc (USER_HZ): from the auxiliary vector, 100 where it is silent. */
__attribute__((visibility("hidden"))) int64_t tc_proc_user_hz(void);

#endif
