/* SPDX-License-Identifier: Apache-2.0 */
/* One look at the clocks of all threads, and what has changed since the last. */
#ifndef TC_AGENT_SAMPLE_PASS_H
#define TC_AGENT_SAMPLE_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "sample_wire.h"
#include "threadclock.h"

enum { SAMPLE_BUSY_MAX = 64 };

/* The rows of this pass and the last; zeroes at first. */
struct sample_pass {
    struct threadclock_thread_row *rows, *last;
    size_t count, last_count, capacity, last_capacity;
    struct threadclock_times process; /* as it was put last */
    uint32_t busy[SAMPLE_BUSY_MAX];   /* indexes in last of those that had run when all were looked at */
    uint32_t busy_count;              /* of all of them, there may be more */
    int64_t others_ns;                /* the process's CPU time less the busy ones', then */
    uint32_t wait;                    /* so many passes look at all: there is news, or the last that did not had to give up */
};

/*
 * The records of a sample: what is new, has run, or is gone, and SAMPLE_MOMENT. False: no memory, or no clocks.
 *
 * Unless all is true only those are read that ran lately, as long as the process's clock tells that the others, all together,
 * have not run for more than 0.2 ms since all were looked at: a thousand threads that sleep are not asked ten times a
 * second. The process's times are then the sum as well, without what the others may have used.
 */
bool sample_pass_put(struct sample_message *message, struct sample_pass *pass, bool all);

void sample_pass_free(struct sample_pass *pass);

#endif
