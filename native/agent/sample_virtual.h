/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of virtual threads, for the sampler. */
#ifndef TC_AGENT_SAMPLE_VIRTUAL_H
#define TC_AGENT_SAMPLE_VIRTUAL_H

#include <stdint.h>

#include "sample_wire.h"
#include "sys.h"

/* Initially zero. */
struct sample_virtual {
    int64_t due_ns; /* not read again before */
};

/*
 * Adds SAMPLE_VIRTUAL and the groups, if virtual threads are accounted for. It visits every account (128
 * bytes each). If that would take more than 2 % of a CPU, some samples have none.
 */
TC_INTERNAL void sample_virtual_put(struct sample_message *message, struct sample_virtual *virtual);

#endif
