/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the agent in a JVM, which answers each request with its account (rows.h). No call waits for
 * it, and what it sends takes no more memory than two answers. For one thread.
 */
#ifndef TC_AGENT_CHANNEL_H
#define TC_AGENT_CHANNEL_H

#include "rows.h"

struct agent_channel {
    int fd;        /* -1: ended: the other end has closed it or sent what is not an answer, or no memory */
    bool is_asked; /* the answer to the last request is not complete */
    bool is_late;  /* answers came late, and the next one is not to be waited for as long */
    uint32_t late; /* how many answers in a row were not complete when the next request was due */
    bool is_new;   /* shown has come since the last request */
    size_t have;   /* of the next answer, which begins with this head */
    struct tc_rows_head head;
    char *next, *shown; /* shown: the last whole answer with rows; null: none */
    size_t shown_size;
};

/* Takes the descriptor over. Null: no memory; then it is still the caller's. */
TC_INTERNAL struct agent_channel *agent_channel_open(int fd);

/* Ends the connection: there are no rows any more. */
TC_INTERNAL void agent_channel_end(struct agent_channel *channel);
TC_INTERNAL void agent_channel_close(struct agent_channel *channel);

/* Asks for the account of now, unless an earlier request is not answered yet. */
TC_INTERNAL void agent_channel_ask(struct agent_channel *channel);

/* Reads what has come. */
TC_INTERNAL void agent_channel_receive(struct agent_channel *channel);

/* The rows of the last answer that had any, valid until the next call for this channel. Their number. */
TC_INTERNAL uint32_t agent_channel_rows(struct agent_channel *channel,
                                        struct tc_metric_row rows[TC_GROUPS_MAX]);

#endif
