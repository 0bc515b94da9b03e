/* SPDX-License-Identifier: Apache-2.0 */
/* The other end may be hostile: it may send anything, at any time, or nothing. */
#include "agent_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct agent_channel *agent_channel_open(int fd)
{
    struct agent_channel *channel = calloc(1, sizeof *channel);
    if (channel != NULL)
        channel->fd = fd;
    return channel;
}

static void end(struct agent_channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = -1;
    channel->is_asked = false;
    channel->have = 0;
}

void agent_channel_close(struct agent_channel *channel)
{
    if (channel == NULL)
        return;
    end(channel);
    free(channel);
}

void agent_channel_ask(struct agent_channel *channel)
{
    if (channel->is_asked)
        agent_channel_receive(channel);
    channel->is_late = channel->is_asked;
    if (channel->is_asked || channel->fd < 0)
        return;
    channel->have = 0;
    channel->is_asked = true;
    if (send(channel->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        end(channel);
}

bool agent_channel_is_awaited(const struct agent_channel *channel)
{
    return channel->is_asked && !channel->is_late;
}

void agent_channel_receive(struct agent_channel *channel)
{
    const struct tc_rows_head *head = &channel->head;
    while (channel->is_asked) {
        size_t size = channel->have < sizeof *head ? sizeof *head : head->size;
        ssize_t got = recv(channel->fd, channel->answer + channel->have, size - channel->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        channel->have += got > 0 ? (size_t)got : 0;
        if (got <= 0 || (channel->have == sizeof *head && !tc_rows_begin(head)))
            end(channel);
        else
            channel->is_asked = channel->have < sizeof *head || channel->have < head->size;
    }
}

uint32_t agent_channel_rows(struct agent_channel *channel, struct tc_metric_row rows[TC_GROUPS_MAX])
{
    if (channel->is_asked || channel->have == 0)
        return 0;
    uint32_t count = tc_rows_take(channel->answer, channel->have, rows);
    if (count == 0)
        end(channel);
    return count;
}
