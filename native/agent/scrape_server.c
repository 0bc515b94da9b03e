/* SPDX-License-Identifier: Apache-2.0 */
/* A loop around poll. */
#include "scrape_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lock.h"

enum {
    TICK_MS = 100,
    FULL_TICK_MS = 10,
    PAUSE_MS = 1000,
    BACKLOG = 128,
    ADDRESS_BYTES = INET6_ADDRSTRLEN + sizeof "[]:65535",
};

static const int64_t NS_PER_MS = 1000000;

struct client {
    int fd;
    int64_t since_ns; /* the server's waited_ns when it was accepted or, after that, got its response */
    bool is_complete; /* the request */
    bool is_over;     /* to be closed */
    char *response;   /* null: there is none yet */
    size_t response_size, sent, head_size;
    char head[SCRAPE_HEAD_BYTES];
};

struct scrape_server {
    unsigned users; /* the last one frees it */
    bool ending;
    bool local;
    int listener;
    int64_t deaf_until_ns; /* no descriptor or no memory is left: the same again at once would not help */
    int64_t waited_ns;     /* for clients, in all: the time that counts for their patience */
    int count;
    struct client *clients[SCRAPE_CLIENTS]; /* in the order in which they came */
    char address[ADDRESS_BYTES];
};

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

/* False: no address. */
static bool parse(const char *text, union address *address)
{
    char ip[ADDRESS_BYTES];
    const char *colon = strrchr(text, ':');
    bool six = *text == '[';
    memset(address, 0, sizeof *address);
    if (colon == NULL || colon - text >= (int)sizeof ip
        || (six && (colon - text < 2 || colon[-1] != ']')))
        return false;
    snprintf(ip, sizeof ip, "%.*s", (int)(colon - text) - 2 * six, text + six);
    in_port_t port = htons((uint16_t)strtol(colon + 1, NULL, 10));
    if (six) {
        address->six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
        return inet_pton(AF_INET6, ip, &address->six.sin6_addr) == 1;
    }
    address->four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
    return inet_pton(AF_INET, ip, &address->four.sin_addr) == 1;
}

static bool is_local(const union address *address)
{
    const unsigned char *six = address->six.sin6_addr.s6_addr;
    if (address->any.sa_family == AF_INET)
        return ntohl(address->four.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr)
           || (IN6_IS_ADDR_V4MAPPED(&address->six.sin6_addr) && six[12] == 127);
}

/* A listening descriptor, or -1 and errno. */
static int listen_at(const union address *address)
{
    int family = address->any.sa_family, on = 1, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
        && (family == AF_INET || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0)
        && bind(fd, &address->any, family == AF_INET ? sizeof address->four : sizeof address->six) == 0
        && listen(fd, BACKLOG) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static in_port_t port_of(int listener)
{
    union address bound;
    socklen_t size = sizeof bound;
    if (getsockname(listener, &bound.any, &size) != 0)
        return 0;
    return ntohs(bound.any.sa_family == AF_INET ? bound.four.sin_port : bound.six.sin6_port);
}

struct scrape_server *scrape_server_open(const char *text)
{
    union address address;
    if (!parse(text, &address)) {
        errno = EINVAL;
        return NULL;
    }
    struct scrape_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return NULL;
    server->users = 1;
    server->local = is_local(&address);
    server->listener = listen_at(&address);
    if (server->listener < 0) {
        int error = errno;
        scrape_server_release(server);
        errno = error;
        return NULL;
    }
    snprintf(server->address, sizeof server->address, "%.*s:%d", (int)(strrchr(text, ':') - text), text,
             port_of(server->listener));
    return server;
}

const char *scrape_server_address(const struct scrape_server *server)
{
    return server->address;
}

bool scrape_server_is_local(const struct scrape_server *server)
{
    return server->local;
}

void scrape_server_keep(struct scrape_server *server)
{
    __atomic_fetch_add(&server->users, 1, __ATOMIC_RELAXED);
}

void scrape_server_release(struct scrape_server *server)
{
    if (__atomic_sub_fetch(&server->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (server->listener >= 0)
        close(server->listener);
    free(server);
}

static void close_client(struct client *client)
{
    close(client->fd);
    free(client->response);
    free(client);
}

static void accept_client(struct scrape_server *server)
{
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
        return; /* the client has gone already */
    struct client *client = fd < 0 ? NULL : calloc(1, sizeof *client);
    if (client != NULL) {
        client->fd = fd;
        client->since_ns = server->waited_ns;
        server->clients[server->count++] = client;
        return;
    }
    if (fd >= 0)
        close(fd);
    server->deaf_until_ns = now_ns() + PAUSE_MS * NS_PER_MS;
}

/* The end of the head: an empty line ends in what has come since then. */
static bool has_empty_line(const struct client *client, size_t since)
{
    const char *head = client->head;
    for (size_t i = since > 0 ? since : 1; i < client->head_size; i++)
        if (head[i] == '\n'
            && (head[i - 1] == '\n' || (i > 1 && head[i - 1] == '\r' && head[i - 2] == '\n')))
            return true;
    return false;
}

/* A method begins with a letter, and a handshake of TLS does not. */
static bool is_no_request(const struct client *client)
{
    int first = client->head[0] | 0x20;
    return client->head_size > 0 && (first < 'a' || first > 'z');
}

/* The kernel has the whole response, and delivers it even if the connection is closed. */
static bool is_answered(const struct client *client)
{
    return client->response != NULL && client->sent == client->response_size;
}

static bool has_gone(ssize_t result)
{
    return result == 0 || (result < 0 && errno != EAGAIN && errno != EINTR);
}

/*
 * Closing a socket with unread input would reset the connection, and the client might lose the response.
 * False: the client has gone.
 */
static bool respond(struct client *client)
{
    if (!is_answered(client)) {
        ssize_t sent = send(client->fd, client->response + client->sent,
                            client->response_size - client->sent, MSG_NOSIGNAL);
        if (sent > 0)
            client->sent += (size_t)sent;
        if (!is_answered(client))
            return !has_gone(sent);
        shutdown(client->fd, SHUT_WR);
    }
    return !has_gone(recv(client->fd, client->head, sizeof client->head, 0));
}

static bool has_much_unread(const struct scrape_server *server)
{
    size_t bytes = 0;
    for (int i = 0; i < server->count; i++)
        bytes += server->clients[i]->response_size;
    return bytes >= SCRAPE_UNREAD_BYTES;
}

/* It has done its part, and waits until there is memory for a response. */
static bool is_held_back(const struct client *client)
{
    return client->is_complete && client->response == NULL;
}

/* Goes on as far as it can without waiting. False: the connection is to be closed. */
static bool advance(const struct scrape_server *server, struct client *client, scrape_responder *responder,
                    void *context)
{
    if (!client->is_complete) {
        size_t before = client->head_size;
        ssize_t got = recv(client->fd, client->head + before, sizeof client->head - before, 0);
        if (got <= 0)
            return !has_gone(got);
        client->head_size += (size_t)got;
        client->is_complete = has_empty_line(client, before) || is_no_request(client)
                              || client->head_size == sizeof client->head;
        if (!client->is_complete)
            return true;
    }
    if (client->response == NULL) {
        if (has_much_unread(server))
            return true;
        client->response = responder(context, client->head, client->head_size, &client->response_size);
        client->since_ns = server->waited_ns;
        if (client->response == NULL)
            return false;
    }
    return respond(client);
}

/* full: others need a place. held_back: others wait for the memory of unread responses. */
static bool is_too_slow(const struct scrape_server *server, const struct client *client, bool full,
                        bool held_back)
{
    bool hurries = full || (held_back && client->response != NULL);
    int64_t patience_ms = hurries ? SCRAPE_FULL_PATIENCE_MS : SCRAPE_PATIENCE_MS;
    return !is_held_back(client)
           && (server->waited_ns - client->since_ns > patience_ms * NS_PER_MS
               || (hurries && is_answered(client)));
}

static void close_some(struct scrape_server *server, bool full, bool held_back)
{
    int kept = 0;
    for (int i = 0; i < server->count; i++) {
        struct client *client = server->clients[i];
        if (client->is_over || is_too_slow(server, client, full, held_back))
            close_client(client);
        else
            server->clients[kept++] = client;
    }
    server->count = kept;
}

static bool is_ending(const struct scrape_server *server)
{
    return __atomic_load_n(&server->ending, __ATOMIC_ACQUIRE);
}

/* The order of responses is that of the clients, so that those who are held back have their turn. */
static void serve_once(struct scrape_server *server, scrape_responder *responder, void *context)
{
    struct pollfd polled[1 + SCRAPE_CLIENTS], *clients = polled + 1;
    int count = server->count;
    int64_t before_ns = now_ns();
    bool full = count == SCRAPE_CLIENTS, deaf = before_ns < server->deaf_until_ns, held_back = false;
    polled[0] = (struct pollfd){.fd = full || deaf ? -1 : server->listener, .events = POLLIN};
    for (int i = 0; i < count; i++) {
        const struct client *client = server->clients[i];
        bool to_send = client->response != NULL && !is_answered(client), waits = is_held_back(client);
        clients[i] = (struct pollfd){.fd = waits ? -1 : client->fd, .events = to_send ? POLLOUT : POLLIN};
        held_back |= waits;
    }
    int ready = poll(polled, (nfds_t)(1 + count),
                     full || held_back ? FULL_TICK_MS : count > 0 || deaf ? TICK_MS : -1);
    server->waited_ns += now_ns() - before_ns;
    if (ready < 0 && errno != EINTR) {
        struct timespec pause = {PAUSE_MS / 1000, 0};
        nanosleep(&pause, NULL);
    }
    for (int i = 0; i < count && !is_ending(server); i++)
        if ((ready > 0 && clients[i].revents != 0) || is_held_back(server->clients[i]))
            server->clients[i]->is_over = !advance(server, server->clients[i], responder, context);
    close_some(server, full, held_back);
    if (ready > 0 && polled[0].revents != 0)
        accept_client(server);
}

void scrape_server_run(struct scrape_server *server, scrape_responder *responder, void *context)
{
    while (!is_ending(server))
        serve_once(server, responder, context);
    while (server->count > 0)
        close_client(server->clients[--server->count]);
    scrape_server_release(server);
}

/* The port is free at once, whatever the thread does, and whoever connects is refused. */
void scrape_server_end(struct scrape_server *server, int milliseconds)
{
    __atomic_store_n(&server->ending, true, __ATOMIC_RELEASE);
    shutdown(server->listener, SHUT_RDWR); /* poll returns */
    for (int64_t until_ns = now_ns() + milliseconds * NS_PER_MS;
         __atomic_load_n(&server->users, __ATOMIC_ACQUIRE) > 1 && now_ns() < until_ns;)
        tc_pause();
}
