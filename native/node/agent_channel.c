/* SPDX-License-Identifier: Apache-2.0 */
/* The other end may be hostile: it may send anything, at any time, or nothing. */
#include "agent_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LATE_IN_A_ROW = 8 };

struct agent_channel *agent_channel_open(int fd)
{
    struct agent_channel *channel = calloc(1, sizeof *channel);
    if (channel != NULL)
        channel->fd = fd;
    return channel;
}

void agent_channel_end(struct agent_channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    free(channel->next);
    free(channel->shown);
    *channel = (struct agent_channel){.fd = -1};
}

void agent_channel_close(struct agent_channel *channel)
{
    if (channel == NULL)
        return;
    agent_channel_end(channel);
    free(channel);
}

void agent_channel_ask(struct agent_channel *channel)
{
    bool was_asked = channel->is_asked;
    agent_channel_receive(channel);
    channel->late = was_asked ? channel->late + 1 : 0;
    channel->is_late = channel->late % LATE_IN_A_ROW != 0; /* otherwise a slower one would be late for ever */
    channel->is_new = false;
    if (channel->is_asked || channel->fd < 0)
        return;
    channel->is_asked = true;
    if (send(channel->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        agent_channel_end(channel);
}

/* The answer is complete. One without rows: the agent could not read its account now. */
static void take(struct agent_channel *channel)
{
    channel->is_asked = false;
    channel->have = 0;
    if (channel->head.size > sizeof channel->head) {
        free(channel->shown);
        channel->shown = channel->next;
        channel->shown_size = channel->head.size;
        channel->is_new = true;
    } else {
        free(channel->next);
    }
    channel->next = NULL;
}

/* The head has come: makes room for the rest. */
static bool begin(struct agent_channel *channel)
{
    if (tc_rows_begin(&channel->head))
        channel->next = malloc(channel->head.size);
    if (channel->next != NULL)
        memcpy(channel->next, &channel->head, sizeof channel->head);
    return channel->next != NULL;
}

void agent_channel_receive(struct agent_channel *channel)
{
    while (channel->is_asked) {
        bool has_head = channel->have >= sizeof channel->head;
        char *to = has_head ? channel->next : (char *)&channel->head;
        size_t size = has_head ? channel->head.size : sizeof channel->head;
        ssize_t got = recv(channel->fd, to + channel->have, size - channel->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        channel->have += got > 0 ? (size_t)got : 0;
        if (got <= 0 || (channel->have == sizeof channel->head && !begin(channel)))
            agent_channel_end(channel);
        else if (channel->have >= sizeof channel->head && channel->have == channel->head.size)
            take(channel);
    }
}

uint32_t agent_channel_rows(struct agent_channel *channel, struct tc_metric_row rows[TC_GROUPS_MAX])
{
    uint32_t count = channel->shown != NULL ? tc_rows_take(channel->shown, channel->shown_size, rows) : 0;
    if (channel->shown != NULL && count == 0)
        agent_channel_end(channel);
    return count;
}
