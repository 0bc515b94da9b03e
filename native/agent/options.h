/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options: key=value, separated by commas. */
#ifndef TC_AGENT_OPTIONS_H
#define TC_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys.h"
#include "threadclock.h"

enum log_target { LOG_NONE, LOG_STDERR, LOG_FILE };

/* Where total time comes from: the JVM itself, or one of the core's reads. */
enum total_source { TOTAL_JVM, TOTAL_TICK, TOTAL_NOW, TOTAL_INTERPOLATED };

/*
 * What gets threadclock's user time: ThreadMXBean alone, or all of libjvm.
 * Not given: at the JVM's start all of libjvm, if needed and possible.
 */
enum reach { REACH_BEAN, REACH_JVM, REACH_NOT_GIVEN };

/* The command of an attach. */
enum command { DO_ATTACH, DO_DETACH, DO_STATUS, DO_SAMPLE, DO_ACCOUNT };

enum { OPTION_FILE_BYTES = 1024, OPTION_ADDRESS_BYTES = 64 };

struct agent_options {
    /*
     * Each CHOICE of options.def, as the number of its value: freshness is a threadclock_freshness, total a
     * total_source, reach a reach; agent_virtual_clock converts virtual.
     */
#define CHOICE(name, values, help) int name;
#define OPTION(name, values, note, help)
#define REQUEST(name, values)
#include "options.def"
    char prometheus[OPTION_ADDRESS_BYTES]; /* "IP:PORT"; "": off */
    enum log_target log;
    char log_file[OPTION_FILE_BYTES];     /* "stderr" if it goes there */
    bool starting;                        /* the JVM, as opposed to an attach; set by the agent */
    enum command command;                 /* do=...; set by the command line */
    char report_file[OPTION_FILE_BYTES];  /* report=<file>: where the answer goes; "": nowhere */
    char channel_file[OPTION_FILE_BYTES]; /* channel=<socket>: where samples, or the account, go */
    int64_t period_ms;                    /* period=<milliseconds>: from one sample to the next */
};

#define CHOICE(name, values, help) AGENT_##name,
#define OPTION(name, values, note, help) AGENT_##name,
#define REQUEST(name, values)
enum agent_option {
#include "options.def"
    AGENT_OPTIONS
};

/*
 * virtual=off|on|now|tick as 0 or one more than a threadclock_freshness, whose order is the opposite; and
 * back.
 */
static inline int agent_virtual_clock(int virtual)
{
    return virtual == 0 ? 0 : THREADCLOCK_INTERPOLATED + 2 - virtual;
}

/* An option for users as it is in force, "name=value", in text. */
TC_INTERNAL void agent_option_show(enum agent_option option, const struct agent_options *options, char *text,
                                   size_t text_size);

/*
 * Parses text, which may be null, and changes those of the options that it names: the defaults are zero, but
 * for the reach, which is not given. 0, or -1 with a sentence
 * about the first mistake in error; the options without a mistake are in force all the same.
 */
TC_INTERNAL int agent_options_parse(const char *text, struct agent_options *options, char *error,
                                    size_t error_size);

#endif
