/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the clocks of all threads, and what has changed since the last. */
#ifndef TC_AGENT_SAMPLE_PASS_H
#define TC_AGENT_SAMPLE_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "sample_wire.h"
#include "sys.h"
#include "threadclock.h"

enum { SAMPLE_BUSY_MAX = 64 };

/* The rows of this pass and the last; zeroes at first. */
struct sample_pass {
    struct threadclock_thread_row *rows, *last;
    size_t count, last_count, capacity, last_capacity;
    struct threadclock_times process; /* as last sent */
    uint32_t busy[SAMPLE_BUSY_MAX];   /* indexes in last of those that had run in the last full pass */
    uint32_t busy_count;              /* all that had run, possibly more than busy holds */
    int64_t others_ns;                /* the process's CPU time minus that of the busy, at most */
    int64_t used_ns;                  /* by threads that live, since they were sent last */
    uint32_t wait;                    /* number of full passes left, after news or a failed partial pass */
};

/*
 * Adds the records of a sample: threads that are new, have run, or are gone, and SAMPLE_MOMENT. False: no
 * memory, or no clocks.
 *
 * Unless all is true, only threads that ran lately are read, while the process's clock shows that the others
 * together have run for at most 0.2 ms since the last full pass: a thousand sleeping threads are not read ten
 * times a second. The process's times are then also the sum, without what the others may have used.
 */
TC_INTERNAL bool sample_pass_put(struct sample_message *message, struct sample_pass *pass, bool all);

TC_INTERNAL void sample_pass_free(struct sample_pass *pass);

#endif
