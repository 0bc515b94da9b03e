/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options: key=value, separated by commas. */
#ifndef TC_AGENT_OPTIONS_H
#define TC_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

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
enum command { DO_ATTACH, DO_DETACH, DO_STATUS, DO_SAMPLE };

enum { OPTION_FILE_BYTES = 1024, OPTION_ADDRESS_BYTES = 64 };

struct agent_options {
    enum threadclock_freshness freshness; /* freshness=tick|now */
    enum log_target log;                  /* log=none|stderr|<file> */
    char log_file[OPTION_FILE_BYTES];
    enum total_source total;              /* total=jvm|tick|now|interpolated */
    enum reach reach;                     /* reach=bean|jvm */
    int virtual_clock;                    /* virtual=off|tick|now|on: 0, or one more than the freshness */
    char prometheus[OPTION_ADDRESS_BYTES]; /* prometheus=off|[IP:]PORT, as "IP:PORT"; "": off */
    bool strict;                          /* strict=on|off */
    bool starting;                        /* the JVM, as opposed to an attach; set by the agent */
    enum command command;                 /* do=attach|detach|status|sample; set by the command line */
    char report_file[OPTION_FILE_BYTES];  /* report=<file>: where the answer goes; "": nowhere */
    char channel_file[OPTION_FILE_BYTES]; /* channel=<socket>: where samples go */
    int64_t period_ms;                    /* period=<milliseconds>: from one sample to the next */
};

/* The words of an option, in the order of its values. */
TC_INTERNAL extern const char *const agent_freshness_words[];
TC_INTERNAL extern const char *const agent_total_words[];
TC_INTERNAL extern const char *const agent_reach_words[];
TC_INTERNAL extern const char *const agent_virtual_words[];

/*
 * Parses text, which may be null, and changes those of the options that it names: the defaults are zero, but
 * for the reach, which is not given. 0, or -1 with a sentence
 * about the first mistake in error; the options without a mistake are in force all the same.
 */
TC_INTERNAL int agent_options_parse(const char *text, struct agent_options *options, char *error,
                                    size_t error_size);

#endif
