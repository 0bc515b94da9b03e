/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent says: nothing, unless it cannot work (one line on stderr) or a log was asked for. */
#ifndef TC_AGENT_REPORT_H
#define TC_AGENT_REPORT_H

#include "options.h"

/*
 * "error: <text>" into the report that was asked for; where none was, "threadclock: <text>; the JVM runs without
 * threadclock" on stderr, in one write.
 */
__attribute__((format(printf, 2, 3))) void report_unable(const struct agent_options *options, const char *format, ...);

/* A line into the report that was asked for, if one was; the first is "ok". */
__attribute__((format(printf, 2, 3))) void report_answer(const struct agent_options *options, const char *format, ...);

/* Checks that the log can be written: 0, or -1 with the reason in error. */
int report_open(const struct agent_options *options, char *error, size_t error_size);

/* One line into the log, if there is one. The file is open only meanwhile. */
__attribute__((format(printf, 2, 3))) void report_log(const struct agent_options *options, const char *format, ...);

#endif
