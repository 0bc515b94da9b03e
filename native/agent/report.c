/* SPDX-License-Identifier: Apache-2.0 */
/* Writes whole lines to the report, the log or stderr, and never blocks the JVM on an unread pipe. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entries.h"
#include "sys.h"
#include "threadclock.h"

static const char unable[] = "; the JVM runs without threadclock";

enum { LINE_BYTES = 1600, STDERR = 2, PATIENCE_MS = 1000 };

/* False: a pipe or terminal that is no longer read. The line is dropped: the JVM's threads must not wait. */
static bool has_room(int file)
{
    struct pollfd room = {.fd = file, .events = POLLOUT};
    return poll(&room, 1, PATIENCE_MS) > 0;
}

/* Writes head, the formatted text (perhaps truncated), tail and a newline in one write, as a whole line. */
static void write_line(int file, const char *head, const char *tail, const char *format, va_list arguments)
{
    char line[LINE_BYTES];
    size_t room = sizeof line - strlen(tail) - 1, used = strlen(head);
    memcpy(line, head, used);
    int length = vsnprintf(line + used, room - used, format, arguments);
    if (length > 0)
        used += (size_t)length < room - used ? (size_t)length : room - used - 1;
    memcpy(line + used, tail, strlen(tail));
    used += strlen(tail);
    line[used++] = '\n';
    ssize_t written = has_room(file) ? write(file, line, used) : -1;
    (void)written; /* there is nowhere to report it */
}

/*
 * Opens without waiting, as open would for a FIFO without a reader. Accepts only regular files and, if
 * device, character devices (a terminal, /dev/null), which have no other end to wait for. Otherwise -1 and
 * errno.
 */
static int open_file(const char *path, int flags, bool device)
{
    struct stat status;
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0644);
    /* SYS_fstat, because glibc exports fstat only from 2.33 on. */
    if (file < 0 || (tc_syscall4(SYS_fstat, file, (long)&status, 0, 0) == 0
                     && (S_ISREG(status.st_mode) || (device && S_ISCHR(status.st_mode)))))
        return file;
    close(file);
    errno = ENXIO; /* as open reports for a FIFO or a socket */
    return -1;
}

/* The file exists already: the requester has created it, readable only by itself. Links are not followed. */
static int open_report(const struct agent_options *options)
{
    return options->report_file[0] == '\0' ? -1 : open_file(options->report_file, O_NOFOLLOW, false);
}

/* A requester finds its report empty if it cannot be opened; the program's stderr gets nothing. */
void report_unable(const struct agent_options *options, const char *format, ...)
{
    int file = open_report(options);
    va_list arguments;
    va_start(arguments, format);
    if (file >= 0)
        write_line(file, "error: ", "", format, arguments);
    else if (options->report_file[0] == '\0')
        write_line(STDERR, "threadclock: ", unable, format, arguments);
    va_end(arguments);
    if (file >= 0)
        close(file);
}

void report_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(STDERR, "threadclock: ", "", format, arguments);
    va_end(arguments);
}

bool report_left_out(const struct agent_options *options, const char *problem)
{
    if (!options->starting || options->strict)
        return false;
    report_line("%s; threadclock runs without that option", problem);
    return true;
}

void report_answer(const struct agent_options *options, const char *format, ...)
{
    int file = open_report(options);
    if (file < 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(file, "", "", format, arguments);
    va_end(arguments);
    close(file);
}

static int open_log(const struct agent_options *options)
{
    return open_file(options->log_file, O_CREAT, true);
}

/* Closes the opened file: 0, or -1 with the reason in error. */
static int check(int file, const char *what, const char *path, char *error, size_t error_size)
{
    if (file >= 0)
        return close(file);
    snprintf(error, error_size, "cannot write the %s '%s': %s; name a file that can be written with %s=FILE",
             what, path,
             errno == ENXIO ? "a pipe, a socket or a device, for which the JVM might have to wait"
                            : strerror(errno),
             what);
    return -1;
}

int report_open(const struct agent_options *options, char *error, size_t error_size)
{
    if (options->log == LOG_FILE
        && check(open_log(options), "log", options->log_file, error, error_size) != 0)
        return -1;
    if (options->report_file[0] == '\0')
        return 0;
    int report = open_report(options);
    if (report < 0 && errno == ENOENT)
        return 0; /* the requester no longer waits */
    return check(report, "report", options->report_file, error, error_size);
}

void report_log(const struct agent_options *options, const char *format, ...)
{
    if (options->log == LOG_NONE)
        return;
    int file = options->log == LOG_STDERR ? STDERR : open_log(options);
    if (file < 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(file, "threadclock: ", "", format, arguments);
    va_end(arguments);
    if (file != STDERR)
        close(file);
}

static void describe(const struct agent_options *to, const char *name, enum threadclock_quantity quantity,
                     enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    if (threadclock_describe(quantity, freshness, &source) != 0)
        return;
    report_answer(to, "%s.source=%s", name, source.name);
    report_answer(to, "%s.resolution_ns=%lld", name, (long long)source.resolution_ns);
    report_answer(to, "%s.age_ns=%lld", name, (long long)source.age_ns);
    report_answer(to, "%s.system_calls=%d", name, (int)source.system_calls);
}

void report_clocks(const struct agent_options *to, const struct agent_options *options)
{
    describe(to, "user", THREADCLOCK_USER, options->freshness);
    static const enum threadclock_freshness total_freshness[] = {
        [TOTAL_TICK] = THREADCLOCK_TICK, [TOTAL_NOW] = THREADCLOCK_NOW,
        [TOTAL_INTERPOLATED] = THREADCLOCK_INTERPOLATED};
    if (options->total != TOTAL_JVM)
        describe(to, "total", THREADCLOCK_TOTAL, total_freshness[options->total]);
    report_answer(to, "threads=%u", (unsigned)tc_entries_standing());
}
