/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the command line's socket, after checking whose it is. */
#include "sample_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sample_wire.h"

static const char remedy[] = "this is the command line's to give; report it";

/*
 * Never waits for the other end, because the JVM's attach listener would be blocked. Later only the sampler
 * uses the channel, and may wait.
 */
static int connect_now(int channel, const struct sockaddr_un *address, const char *path, char *problem,
                       size_t problem_size)
{
    if (connect(channel, (const struct sockaddr *)address, sizeof *address) == 0) {
        fcntl(channel, F_SETFL, 0);
        return 0;
    }
    if (errno == EAGAIN)
        snprintf(problem, problem_size,
                 "'%s' takes no more connections now: who listens there does not accept; try again", path);
    else
        snprintf(problem, problem_size, "cannot connect to '%s': %s; %s", path, strerror(errno), remedy);
    return -1;
}

static bool is_trusted(int channel)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
           && (peer.uid == geteuid() || peer.uid == 0);
}

int sample_channel_open(const char *path, char *problem, size_t problem_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (*path == '\0' || strlen(path) >= sizeof address.sun_path) {
        snprintf(problem, problem_size, "no path of a socket in channel='%s'; %s", path, remedy);
        return -1;
    }
    strcpy(address.sun_path, path);
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (channel < 0)
        snprintf(problem, problem_size, "no socket can be made: %s; raise the limit on open files",
                 strerror(errno));
    else if (connect_now(channel, &address, path, problem, problem_size) == 0) {
        if (is_trusted(channel))
            return channel;
        snprintf(problem, problem_size, "'%s' is another user's; %s", path, remedy);
    }
    if (channel >= 0)
        close(channel);
    return -1;
}

bool sample_channel_greet(int channel)
{
    uint64_t magic = SAMPLE_MAGIC;
    return send(channel, &magic, sizeof magic, MSG_NOSIGNAL) == sizeof magic;
}
