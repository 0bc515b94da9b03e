/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent says: nothing, unless it cannot work (one line on stderr) or a log was asked for. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char unable[] = "; the JVM runs without threadclock";

enum { LINE_BYTES = 1600, STDERR = 2 };

/* head, the formatted text (shortened where it is too long), tail and a newline, in one write: lines stay whole. */
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
    ssize_t written = write(file, line, used);
    (void)written; /* nobody to tell */
}

/* The file is there already: whoever asks has made it, readable by nobody else. Not through a link. */
static int open_report(const struct agent_options *options)
{
    return options->report_file[0] == '\0' ? -1 : open(options->report_file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
}

void report_unable(const struct agent_options *options, const char *format, ...)
{
    int file = open_report(options);
    va_list arguments;
    va_start(arguments, format);
    if (file >= 0)
        write_line(file, "error: ", "", format, arguments);
    else
        write_line(STDERR, "threadclock: ", unable, format, arguments);
    va_end(arguments);
    if (file >= 0)
        close(file);
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
    return open(options->log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

int report_open(const struct agent_options *options, char *error, size_t error_size)
{
    if (options->log != LOG_FILE)
        return 0;
    int file = open_log(options);
    if (file < 0) {
        snprintf(error, error_size, "cannot write the log '%s': %s; name a file that can be written with log=FILE",
                 options->log_file, strerror(errno));
        return -1;
    }
    close(file);
    return 0;
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
