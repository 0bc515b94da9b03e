/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/task/<tid>/schedstat. */
#include "run_queue.h"

#include <errno.h>

#include "proc_stat.h"

enum { FIELDS = 3, BYTES = 80 };

/* "run-time wait slices" and a newline (proc_pid_schedstat in fs/proc/base.c). */
int64_t tc_run_queue_parse(const char *text, size_t size, int64_t ran_ns)
{
    uint64_t numbers[FIELDS];
    const char *at = text, *end = text + size;
    for (int i = 0; i < FIELDS; i++)
        if (tc_proc_number(&at, end, &numbers[i]) != 0 || at[-1] != (i + 1 < FIELDS ? ' ' : '\n'))
            return -EBADMSG;
    if (numbers[2] == 0)
        return -ENODATA;
    return (int64_t)numbers[0] < ran_ns ? -ESRCH : (int64_t)numbers[1];
}

int64_t tc_run_queue_waited_ns(pid_t tid, int64_t ran_ns)
{
    char path[TC_PROC_PATH_BYTES], text[BYTES];
    if (tid <= 0)
        return -ESRCH;
    tc_proc_path(path, tid, "/schedstat");
    long size = tc_proc_read(path, text, sizeof text);
    return size < 0 ? size : tc_run_queue_parse(text, (size_t)size, ran_ns);
}
