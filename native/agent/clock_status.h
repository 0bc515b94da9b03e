/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's report on the clocks that it reads. */
#ifndef TC_AGENT_CLOCK_STATUS_H
#define TC_AGENT_CLOCK_STATUS_H

#include "options.h"
#include "sys.h"

/* Answers do=status: `to` asks; `options` are the ones in force. */
TC_INTERNAL void clock_status(const struct agent_options *to, const struct agent_options *options);

#endif
