/* SPDX-License-Identifier: Apache-2.0 */
/* The legacy path: user and system time out of /proc/self/task/<tid>/stat. */
#include "proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>

#include "sys.h"

/*
 * proc(5): pid (comm) state ppid ... utime stime ...; utime is field 14. comm is at most 64 bytes (fs/proc/array.c) and
 * may hold spaces, brackets and newlines, but nothing after it holds a bracket: the last one ends it.
 */
enum { STATE_FIELD = 3, USER_FIELD = 14, NS_PER_SECOND = 1000000000 };

int64_t tc_proc_user_hz(void)
{
    unsigned long hz = getauxval(AT_CLKTCK);
    return hz > 0 ? (int64_t)hz : 100;
}

/* Reads an unsigned number that a space or a newline must follow; moves *text to behind that. */
static int parse_number(const char **text, const char *end, uint64_t *number)
{
    const char *start = *text;
    *number = 0;
    for (; *text < end && **text >= '0' && **text <= '9'; ++*text) {
        if (*number > (INT64_MAX - 9) / 10)
            return -EBADMSG;
        *number = *number * 10 + (uint64_t)(**text - '0');
    }
    if (*text == start || *text == end || (**text != ' ' && **text != '\n'))
        return -EBADMSG;
    ++*text;
    return 0;
}

static int parse_units(const char **text, const char *end, int64_t user_hz, int64_t *ns)
{
    uint64_t number;
    int error = parse_number(text, end, &number);
    int64_t units = (int64_t)number;
    if (error == 0 && units / user_hz > INT64_MAX / NS_PER_SECOND / 4)
        error = -EBADMSG;
    if (error == 0)
        *ns = units / user_hz * NS_PER_SECOND + units % user_hz * NS_PER_SECOND / user_hz;
    return error;
}

/* Where a field begins that comes after the name; null: not a stat line, or cut off before it. */
static const char *find_field(const char *text, const char *end, int field)
{
    const char *at = end;
    while (at > text && at[-1] != ')')
        at--;
    if (at == text || at == end || *at++ != ' ')
        return NULL;
    for (int passed = STATE_FIELD; passed < field; passed++, at++) {
        while (at < end && *at != ' ')
            at++;
        if (at == end)
            return NULL;
    }
    return at;
}

int tc_proc_parse(const char *text, size_t size, int64_t user_hz, struct threadclock_times *times)
{
    const char *end = text + size, *at = find_field(text, end, USER_FIELD);
    if (at == NULL)
        return -EBADMSG;
    struct threadclock_times read;
    int error = parse_units(&at, end, user_hz, &read.user_ns);
    if (error == 0)
        error = parse_units(&at, end, user_hz, &read.system_ns);
    if (error != 0)
        return error;
    read.total_ns = read.user_ns + read.system_ns;
    *times = read;
    return 0;
}

int tc_proc_name_and_field(const char *text, size_t size, int field, const char **name, size_t *name_size, uint64_t *number)
{
    const char *end = text + size, *state = find_field(text, end, STATE_FIELD), *at = find_field(text, end, field);
    for (*name = text; *name < end && **name != '('; ++*name) {
    }
    if (at == NULL || *name + 1 > state - 2)
        return -EBADMSG;
    ++*name;
    *name_size = (size_t)(state - 2 - *name);
    return parse_number(&at, end, number);
}

void tc_proc_path(char path[TC_PROC_PATH_BYTES], pid_t tid, const char *rest)
{
    char digits[16];
    int count = 0;
    do
        digits[count++] = (char)('0' + tid % 10);
    while ((tid /= 10) > 0);
    for (const char *head = "/proc/self/task/"; *head != '\0';)
        *path++ = *head++;
    while (count > 0)
        *path++ = digits[--count];
    while ((*path++ = *rest++) != '\0') {
    }
}

long tc_proc_read(const char *path, char *text, size_t size)
{
    long file = tc_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return file == -ENOENT ? -ESRCH : file;
    long got = tc_syscall4(SYS_read, file, (long)text, (long)size, 0);
    tc_syscall4(SYS_close, file, 0, 0, 0);
    return got;
}

int threadclock_proc_times(pid_t tid, struct threadclock_times *times)
{
    if (tid < 0 || times == NULL)
        return -EINVAL;
    char path[TC_PROC_PATH_BYTES], text[TC_PROC_BYTES];
    tc_proc_path(path, tid > 0 ? tid : (pid_t)tc_syscall4(SYS_gettid, 0, 0, 0, 0), "/stat");
    long size = tc_proc_read(path, text, sizeof text);
    return size < 0 ? (int)size : tc_proc_parse(text, (size_t)size, tc_proc_user_hz(), times);
}
