/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed in a roster of threads since the last sample, as records. */
#ifndef TC_AGENT_SAMPLE_PASS_H
#define TC_AGENT_SAMPLE_PASS_H

#include <stdbool.h>

#include "roster.h"
#include "sample_wire.h"

/* The present name and state (sample_wire.h) of a Java thread. False: it has ended. */
typedef bool sample_describe(void *describer, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES],
                             uint32_t *state);

/* For one reader of samples; initially zero. */
struct sample_pass {
    struct tc_roster roster;
    sample_describe *describe;
    void *describer;
    struct sample_message *message; /* during a pass */
    int64_t at_ns;                  /* CLOCK_MONOTONIC at its beginning */
    bool is_unsettled;              /* a thread may get another name soon */
};

TC_INTERNAL void sample_pass_begin(struct sample_pass *pass, const struct tc_roster_source *source,
                                   sample_describe *describe, void *describer);

/*
 * Adds the records of threads that are new, have run, have changed or are gone, and SAMPLE_MOMENT if the
 * sample is complete with that. False: no memory, or no clocks.
 *
 * Names and states are read if named is true; those of a new Java thread always. Otherwise only threads that
 * ran lately may be read, while the process's clock shows that the others together have run for at most 0.2
 * ms: a thousand sleeping threads are not read ten times a second. The process's times are then also the sum,
 * without what the others may have used.
 *
 * After false, or if the message is incomplete, no further pass is possible: what was not sent is marked as
 * sent.
 */
TC_INTERNAL bool sample_pass_put(struct sample_pass *pass, void *of, struct sample_message *message,
                                 bool named, bool complete);

TC_INTERNAL void sample_pass_end(struct sample_pass *pass, void *of);

#endif
