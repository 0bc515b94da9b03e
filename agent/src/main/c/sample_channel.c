/* SPDX-License-Identifier: Apache-2.0 */
/* The socket over which samples go, from the JVM's side. */
#include "sample_channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sample_wire.h"

static const char remedy[] = "this is the command line's to give; report it";

static bool is_trusted(int channel)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

int sample_channel_open(const char *path, char *problem, size_t problem_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (*path == '\0' || strlen(path) >= sizeof address.sun_path) {
        snprintf(problem, problem_size, "no path of a socket in channel='%s'; %s", path, remedy);
        return -1;
    }
    strcpy(address.sun_path, path);
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel < 0 || connect(channel, (const struct sockaddr *)&address, sizeof address) != 0)
        snprintf(problem, problem_size, "cannot connect to '%s': %s", path, strerror(errno));
    else if (!is_trusted(channel))
        snprintf(problem, problem_size, "'%s' is another user's; %s", path, remedy);
    else
        return channel;
    if (channel >= 0)
        close(channel);
    return -1;
}

bool sample_channel_greet(int channel)
{
    uint64_t magic = SAMPLE_MAGIC;
    return send(channel, &magic, sizeof magic, MSG_NOSIGNAL) == sizeof magic;
}
