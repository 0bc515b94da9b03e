/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses /proc/self/task/<tid>/stat and schedstat, and checks that /proc shows this process under its own PID
 * and TIDs.
 */
#include "proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sys.h"

/*
 * proc(5): pid (comm) state ppid ... utime stime ...; utime is field 14. comm is at most 64 bytes
 * (fs/proc/array.c) and may contain spaces, brackets and newlines. Nothing after it contains a bracket, so
 * the last bracket ends it.
 */
enum { STATE_FIELD = 3, USER_FIELD = 14, NS_PER_SECOND = 1000000000 };

int64_t tc_proc_user_hz(void)
{
    unsigned long hz = getauxval(AT_CLKTCK);
    return hz > 0 ? (int64_t)hz : 100;
}

int tc_proc_number(const char **text, const char *end, uint64_t *number)
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
    int error = tc_proc_number(text, end, &number);
    int64_t units = (int64_t)number;
    if (error == 0 && units / user_hz > INT64_MAX / NS_PER_SECOND / 4)
        error = -EBADMSG;
    if (error == 0)
        *ns = units / user_hz * NS_PER_SECOND + units % user_hz * NS_PER_SECOND / user_hz;
    return error;
}

/* The beginning of a field after the name; null: not a stat line, or truncated before the field. */
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
        error = at[-1] != ' ' ? -EBADMSG : parse_units(&at, end, user_hz, &read.system_ns);
    if (error != 0)
        return error;
    read.total_ns = read.user_ns + read.system_ns;
    *times = read;
    return 0;
}

int tc_proc_name_and_field(const char *text, size_t size, int field, const char **name, size_t *name_size,
                           uint64_t *number)
{
    const char *end = text + size;
    const char *state = find_field(text, end, STATE_FIELD), *at = find_field(text, end, field);
    for (*name = text; *name < end && **name != '('; ++*name) {
    }
    if (at == NULL || *name + 1 > state - 2)
        return -EBADMSG;
    ++*name;
    *name_size = (size_t)(state - 2 - *name);
    return tc_proc_number(&at, end, number);
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

/* readlink("/proc/self") is this process's decimal PID in the namespace for which /proc is mounted. */
static int64_t pid_of_link(const char *text, long size)
{
    int64_t pid = 0;
    for (long i = 0; i < size; i++)
        pid = pid * 10 + (text[i] - '0');
    return pid;
}

int tc_proc_check(void)
{
    char target[16], path[TC_PROC_PATH_BYTES];
    long size = tc_syscall4(SYS_readlinkat, AT_FDCWD, (long)"/proc/self", (long)target, sizeof target);
    long pid = tc_syscall4(SYS_getpid, 0, 0, 0, 0), tid = tc_own_tid();
    if (size < 0 || pid < 0 || tid < 0)
        return (int)(size < 0 ? size : pid < 0 ? pid : tid);
    tc_proc_path(path, (pid_t)tid, "");
    long error = tc_syscall4(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0);
    return pid != pid_of_link(target, size) || error == -ENOENT ? -EREMOTE : (int)error;
}

/* The calling thread has a path that is valid in any PID namespace, from Linux 3.17 on. */
static long read_stat(pid_t tid, char text[TC_PROC_BYTES])
{
    char path[TC_PROC_PATH_BYTES];
    long size = tid == 0 ? tc_proc_read("/proc/thread-self/stat", text, TC_PROC_BYTES) : -ESRCH;
    if (size != -ESRCH)
        return size;
    int error = tc_proc_check();
    if (error != 0)
        return error;
    tc_proc_path(path, tid > 0 ? tid : tc_own_tid(), "/stat");
    return tc_proc_read(path, text, TC_PROC_BYTES);
}

int threadclock_proc_times(pid_t tid, struct threadclock_times *times)
{
    if (tid < 0 || times == NULL)
        return -EINVAL;
    char text[TC_PROC_BYTES];
    long size = read_stat(tid, text);
    return size < 0 ? (int)size : tc_proc_parse(text, (size_t)size, tc_proc_user_hz(), times);
}

/* "run-time wait slices" and a newline (proc_pid_schedstat in fs/proc/base.c). */
int64_t tc_run_queue_parse(const char *text, size_t size, int64_t ran_ns)
{
    enum { FIELDS = 3 };
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
    char path[TC_PROC_PATH_BYTES], text[80];
    if (tid <= 0)
        return -ESRCH;
    tc_proc_path(path, tid, "/schedstat");
    long size = tc_proc_read(path, text, sizeof text);
    return size < 0 ? size : tc_run_queue_parse(text, (size_t)size, ran_ns);
}
