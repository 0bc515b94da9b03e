/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/task, and the files of /proc that show which TIDs were allocated. */
#include "task_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "clock_id.h"
#include "proc_stat.h"

enum { LISTING_BYTES = 8192, PROC_MAGIC = 0x9fa0 /* linux/magic.h */, TIDS_RESERVED = 1024 };

struct listed {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

/* The number that begins here; -1: there is none, or it is out of range for a TID or a number of threads. */
static int64_t number_at(const char *text, const char *end)
{
    int64_t number = 0;
    const char *at = text;
    for (; at < end && *at >= '0' && *at <= '9' && number <= INT32_MAX; at++)
        number = number * 10 + (*at - '0');
    return at > text && number <= INT32_MAX ? number : -1;
}

static int each_listed(const char *listing, long size, int (*found)(pid_t tid, uint64_t inode))
{
    const struct listed *listed;
    for (long at = 0; at < size; at += listed->size) {
        listed = (const struct listed *)(listing + at);
        int64_t tid = number_at(listed->name, listing + at + listed->size);
        int error = tid > 0 ? found((pid_t)tid, listed->inode) : 0; /* skips "." and ".." */
        if (error != 0)
            return error;
    }
    return 0;
}

int tc_task_list(int (*found)(pid_t tid, uint64_t inode))
{
    _Alignas(8) char listing[LISTING_BYTES];
    int error = tc_proc_check();
    if (error != 0)
        return error;
    const long flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    long folder = tc_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/task", flags, 0), size;
    if (folder < 0)
        return (int)folder;
    while (error == 0 && (size = tc_syscall4(SYS_getdents64, folder, (long)listing, sizeof listing, 0)) != 0)
        error = size < 0 ? (int)size : each_listed(listing, size, found);
    tc_syscall4(SYS_close, folder, 0, 0, 0);
    return error;
}

int64_t tc_task_count(void)
{
    /* proc_task_getattr, fs/proc/base.c: the link count is the number of threads + 2. */
    struct stat status;
    long error = tc_syscall4(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/task", (long)&status, 0);
    return error < 0 ? error : (int64_t)status.st_nlink - 2;
}

/* Opens a file of the kernel's own /proc. A file mounted over it (lxcfs) may describe something else. */
static long open_proc(const char *path)
{
    struct statfs system;
    long file = tc_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0
        && (tc_syscall4(SYS_fstatfs, file, (long)&system, 0, 0) != 0 || system.f_type != PROC_MAGIC)) {
        tc_syscall4(SYS_close, file, 0, 0, 0);
        return -ENOENT;
    }
    return file;
}

/* The text of a short file; empty if it cannot be read. */
static const char *read_short(const char *path, char *text, size_t size)
{
    long file = open_proc(path), got = 0;
    if (file >= 0) {
        got = tc_syscall4(SYS_read, file, (long)text, (long)size - 1, 0);
        tc_syscall4(SYS_close, file, 0, 0, 0);
    }
    text[got > 0 ? got : 0] = '\0';
    return text;
}

/* The number after the n-th occurrence of the character; -1: none. */
static int64_t number_after(const char *text, char character, int n)
{
    for (; *text != '\0'; text++)
        if (*text == character && --n == 0)
            return number_at(text + 1, text + 20);
    return -1;
}

/* N of the line "processes N" of /proc/stat (total_forks), after lines of any length; 0: not found. */
static int64_t read_forks(void)
{
    static const char name[] = "\nprocesses ";
    char text[4096];
    int64_t forks = 0;
    size_t matched = 0;
    bool found = false, ended = false;
    long file = open_proc("/proc/stat"), size;
    if (file < 0)
        return 0;
    while (!ended && (size = tc_syscall4(SYS_read, file, (long)text, sizeof text, 0)) > 0) {
        for (long i = 0; i < size && !ended; i++) {
            if (!found) {
                matched = text[i] == name[matched] ? matched + 1 : text[i] == name[0];
                found = name[matched] == '\0';
            } else if (text[i] >= '0' && text[i] <= '9' && forks <= INT64_MAX / 10 - 1) {
                forks = forks * 10 + (text[i] - '0');
            } else {
                ended = true;
            }
        }
    }
    tc_syscall4(SYS_close, file, 0, 0, 0);
    return ended ? forks : 0;
}

/*
 * No known kernel starts a million threads in a second. Where there are more TIDs than that, forks are not
 * counted: for moments less than a second apart, the time alone rules out a whole circle.
 */
enum { TID_MIN_NS = 1000, TIDS_OF_A_SECOND = 1000000 };

void tc_tid_moment(struct tc_tid_moment *moment, bool with_forks)
{
    char text[128];
    moment->monotonic_ns = threadclock_clock_ns(CLOCK_MONOTONIC);
    int64_t tid_max = number_at(read_short("/proc/sys/kernel/pid_max", text, sizeof text),
                                text + sizeof text);
    moment->forks = with_forks && tid_max < TIDS_OF_A_SECOND ? read_forks() : 0;
    /* proc(5): 0.20 0.18 0.12 1/80 11206: 80 are in use, 11206 was allocated last. */
    read_short("/proc/loadavg", text, sizeof text);
    int64_t in_use = number_after(text, '/', 1), last = number_after(text, ' ', 4);
    moment->unused = tid_max - in_use - TIDS_RESERVED;
    moment->last = tid_max > 0 && in_use > 0 && last > 0 && moment->monotonic_ns >= 0 ? last : 0;
}

/* True if allocation may have gone through all TIDs. */
static bool whole_circle(const struct tc_tid_moment *before, const struct tc_tid_moment *after)
{
    int64_t unused = before->unused < after->unused ? before->unused : after->unused;
    if (before->last == 0 || after->last == 0 || unused <= 0)
        return true;
    return after->monotonic_ns - before->monotonic_ns >= unused * TID_MIN_NS
           && (before->forks == 0 || after->forks == 0 || after->forks - before->forks >= unused);
}

bool tc_tid_given_between(const struct tc_tid_moment *before, const struct tc_tid_moment *after, pid_t tid)
{
    if (whole_circle(before, after))
        return true;
    return before->last <= after->last ? tid > before->last && tid <= after->last
                                       : tid > before->last || tid <= after->last;
}
