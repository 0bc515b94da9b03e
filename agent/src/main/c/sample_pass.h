/* SPDX-License-Identifier: Apache-2.0 */
/* One look at the clocks of all threads, and what has changed since the last. */
#ifndef TC_AGENT_SAMPLE_PASS_H
#define TC_AGENT_SAMPLE_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include "sample_wire.h"
#include "threadclock.h"

/* The rows of this pass and the last; zeroes at first. */
struct sample_pass {
    struct threadclock_thread_row *rows, *last;
    size_t count, last_count, capacity, last_capacity;
};

/* The records of a sample: SAMPLE_MOMENT, then what is new, has run, or is gone. False: no memory, or no clocks. */
bool sample_pass_put(struct sample_message *message, struct sample_pass *pass);

void sample_pass_free(struct sample_pass *pass);

#endif
