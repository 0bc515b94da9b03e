/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of an HTTP server for a process that has other things to do: one thread, which sleeps
 * between scrapes, and a bounded number of connections with a bounded time each, so that no client can
 * block the others or take the process's memory. One request for each connection. Knows neither HTTP's
 * headers nor the JVM.
 */
#ifndef TC_SCRAPE_SERVER_H
#define TC_SCRAPE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

enum { SCRAPE_CLIENTS = 32, SCRAPE_HEAD_BYTES = 8192 };

/* While unread responses take this many bytes, no further one is made. */
enum { SCRAPE_UNREAD_BYTES = 32 << 20 };

/*
 * How long a client may take for its request, and as long again to read the response; the latter while
 * others wait for its place. Only time in which the server waits for the client counts: none is closed
 * because the server, or another client, is slow.
 */
enum { SCRAPE_PATIENCE_MS = 5000, SCRAPE_FULL_PATIENCE_MS = 500 };

struct scrape_server;

/*
 * The response to a request, of *size bytes, from malloc; null: there is none, and the connection is
 * closed. The head ends in an empty line, or it has SCRAPE_HEAD_BYTES, or does not begin with a letter.
 */
typedef char *scrape_responder(void *context, const char *head, size_t head_size, size_t *size);

/*
 * Listens at "IP:PORT" or "[IPV6]:PORT", where 0 is any port, and [::] takes IPv4 along. Null: not
 * possible; errno says why. What connects waits for scrape_server_run.
 */
TC_INTERNAL struct scrape_server *scrape_server_open(const char *address);

/* The address with the real port. */
TC_INTERNAL const char *scrape_server_address(const struct scrape_server *server);

/* True: no other machine can connect. */
TC_INTERNAL bool scrape_server_is_local(const struct scrape_server *server);

/* Call it before a thread is started that will serve; it undoes that with scrape_server_release. */
TC_INTERNAL void scrape_server_keep(struct scrape_server *server);
TC_INTERNAL void scrape_server_release(struct scrape_server *server);

/* Serves in this thread until the server ends, closes what is open, and releases it. */
TC_INTERNAL void scrape_server_run(struct scrape_server *server, scrape_responder *responder, void *context);

/*
 * Frees the port, makes scrape_server_run return, and waits for that, but no longer than this. The server
 * is the caller's until scrape_server_release.
 */
TC_INTERNAL void scrape_server_end(struct scrape_server *server, int milliseconds);

#endif
