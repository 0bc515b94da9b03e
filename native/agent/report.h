/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's output: none, unless it cannot work (one line on stderr) or a log was requested. */
#ifndef TC_AGENT_REPORT_H
#define TC_AGENT_REPORT_H

#include "options.h"
#include "sys.h"

/*
 * Writes "error: <text>" into the report if one was requested, otherwise "threadclock: <text>; the JVM runs
 * without threadclock" to stderr, in one write.
 */
TC_INTERNAL void report_unable(const struct agent_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes "threadclock: <text>" to stderr: for what a user has asked for and does not get. */
TC_INTERNAL void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * True if the agent does without an unavailable option, which is then reported with the problem: when
 * the JVM starts, unless strict=on. Whoever attaches is refused instead.
 */
TC_INTERNAL bool report_left_out(const struct agent_options *options, const char *problem);

/* Writes a line into the report if one was requested; the first is "ok". */
TC_INTERNAL void report_answer(const struct agent_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Checks that log and report can be written without waiting, which rules out FIFOs and sockets: 0, or -1 with
 * the reason in error.
 */
TC_INTERNAL int report_open(const struct agent_options *options, char *error, size_t error_size);

/* Writes one line into the log, if there is one. The file is open only during the call. */
TC_INTERNAL void report_log(const struct agent_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Answers do=status: which clocks are read, and how many threads are known. `options` are those in force. */
TC_INTERNAL void report_clocks(const struct agent_options *to, const struct agent_options *options);

#endif
