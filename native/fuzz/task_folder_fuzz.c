/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the readers of the /proc files that show which TIDs were allocated, and of the names in
 * /proc/self/task: read in pieces of any size, the bytes give the same result. The system calls are served
 * from the input; the kernel is trusted to list whole records.
 */
#include "fuzz.h"

#include <errno.h>
#include <sys/statfs.h>

#include "sys.h"

static long serve(long nr, long a, long b, long c, long d);
#define tc_syscall4 serve
#include "../core/task_folder.c"

static const uint8_t *content;
static size_t left, piece;

static long serve_listing(char *to, size_t room)
{
    size_t used = 0;
    while (left > 0) {
        size_t length = content[0] % 32, record;
        length = length < left ? length : left - 1;
        record = (offsetof(struct listed, name) + length + 1 + 7) / 8 * 8;
        if (used + record > room)
            break;
        struct listed *listed = (struct listed *)(to + used);
        memset(listed, 0, record);
        listed->inode = left;
        listed->size = (uint16_t)record;
        memcpy(listed->name, content + 1, length);
        content += length + 1;
        left -= length + 1;
        used += record;
    }
    return (long)used;
}

static long serve(long nr, long a, long b, long c, long d)
{
    (void)a, (void)d;
    if (nr == SYS_fstatfs)
        ((struct statfs *)b)->f_type = PROC_MAGIC;
    if (nr == SYS_getdents64)
        return serve_listing((char *)b, (size_t)c);
    if (nr != SYS_read)
        return nr == SYS_openat ? 3 : 0;
    size_t size = left < (size_t)c ? left : (size_t)c;
    size = size < piece ? size : piece;
    if (size > 0)
        memcpy((char *)b, content, size);
    content += size;
    left -= size;
    return (long)size;
}

int tc_proc_check(void)
{
    return 0;
}

int64_t threadclock_clock_ns(clockid_t clock)
{
    return clock == CLOCK_MONOTONIC ? 1 : -EINVAL;
}

static int found(pid_t tid, uint64_t inode)
{
    fuzz_assert(tid > 0 && inode > 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t forks[2];
    for (int i = 0; i < 2; i++) {
        content = data;
        left = size;
        piece = i == 0 ? 4096 : 1 + size % 7;
        forks[i] = read_forks();
    }
    fuzz_assert(forks[0] >= 0 && forks[0] == forks[1]);
    struct tc_tid_moment before = {.last = 5, .unused = 100, .monotonic_ns = 0}, moment;
    content = data;
    left = size;
    piece = 128;
    tc_tid_moment(&moment, size % 2 == 0);
    fuzz_assert(moment.last >= 0 && moment.forks >= 0);
    tc_tid_given_between(&before, &moment, (pid_t)size);
    content = data;
    left = size;
    fuzz_assert(tc_task_list(found) == 0 && left == 0);
    return 0;
}
