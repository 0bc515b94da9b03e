/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the agent in a JVM, which answers each request with its account (rows.h). No call waits for
 * it, and what it sends costs no more than TC_ROWS_BYTES_MAX bytes a request. For one thread.
 */
#ifndef TC_AGENT_CHANNEL_H
#define TC_AGENT_CHANNEL_H

#include "rows.h"

struct agent_channel {
    int fd;        /* -1: closed, because the other end has closed it, or has sent what is no answer */
    bool is_asked; /* its answer is not complete */
    bool is_late;  /* that to an earlier request */
    size_t have;   /* of the answer */
    union {
        struct tc_rows_head head;
        char answer[TC_ROWS_BYTES_MAX];
    };
};

/* Takes the descriptor over. Null: no memory; then it is still the caller's. */
TC_INTERNAL struct agent_channel *agent_channel_open(int fd);
TC_INTERNAL void agent_channel_close(struct agent_channel *channel);

/* Asks for the account of now, unless an earlier request is not answered yet; an old answer is dropped. */
TC_INTERNAL void agent_channel_ask(struct agent_channel *channel);

/* The answer to the last request may still come. */
TC_INTERNAL bool agent_channel_is_awaited(const struct agent_channel *channel);

/* Reads what has come. */
TC_INTERNAL void agent_channel_receive(struct agent_channel *channel);

/* The rows of the answer, valid until the next request. Their number; 0: there is no answer. */
TC_INTERNAL uint32_t agent_channel_rows(struct agent_channel *channel,
                                        struct tc_metric_row rows[TC_GROUPS_MAX]);

#endif
