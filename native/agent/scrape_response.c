/* SPDX-License-Identifier: Apache-2.0 */
/* One response: its head, and a body unless the request is HEAD. */
#include "scrape_response.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scrape_request.h"
#include "scrape_server.h"

#define PLAIN "text/plain; charset=utf-8"
#define TEXT_FORMAT "text/plain; version=0.0.4; charset=utf-8"
#define OPEN_METRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Takes the body over. The response to HEAD has only its length. */
static char *response(const char *status, const char *type, struct tc_text *body, bool with_body,
                      size_t *size)
{
    char head[320];
    struct tc_text text = {.size = 0};
    int head_size = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu"
                             "\r\nVary: Accept\r\nConnection: close\r\n\r\n", status, type, body->size);
    tc_text_add(&text, head, (size_t)head_size);
    if (with_body)
        tc_text_add(&text, body->bytes, body->size);
    bool failed = body->failed || text.failed;
    free(body->bytes);
    if (failed)
        free(text.bytes);
    *size = text.size;
    return failed ? NULL : text.bytes;
}

static char *refusal(const char *status, const char *why, bool with_body, size_t *size)
{
    struct tc_text body = {.size = 0};
    tc_text_add(&body, why, strlen(why));
    return response(status, PLAIN, &body, with_body, size);
}

static char *metrics_response(const struct scrape_request *request, scrape_metrics *metrics, void *context,
                              size_t *size)
{
    struct tc_text body = {.size = 0};
    bool with_body = request->method == SCRAPE_GET;
    int error = metrics(context, request->wants_open_metrics, &body);
    if (error == 0)
        return response("200 OK", request->wants_open_metrics ? OPEN_METRICS : TEXT_FORMAT, &body, with_body,
                        size);
    char why[160];
    free(body.bytes);
    snprintf(why, sizeof why, "The threads of this JVM cannot be read: error %d (%s)\n", -error,
             error == -ENOMEM ? "this process is out of memory" : "is /proc mounted?");
    return refusal("503 Service Unavailable", why, with_body, size);
}

char *scrape_response(const char *head, size_t head_size, bool is_local, scrape_metrics *metrics,
                      void *context, size_t *size)
{
    struct scrape_request request;
    if (head_size >= SCRAPE_HEAD_BYTES && memmem(head, head_size, "\n\n", 2) == NULL
        && memmem(head, head_size, "\n\r\n", 3) == NULL)
        return refusal("431 Request Header Fields Too Large", "More than 8192 bytes of headers.\n", true,
                       size);
    if (!scrape_request_parse(head, head_size, &request))
        return refusal("400 Bad Request", "This is HTTP 1, and the request is not.\n", true, size);
    bool with_body = request.method != SCRAPE_HEAD;
    if (is_local && !request.is_by_address)
        return refusal("403 Forbidden", "Ask for an IP address or localhost: under another name, web pages "
                       "could read the metrics.\n", with_body, size);
    if (request.method == SCRAPE_OTHER)
        return refusal("405 Method Not Allowed\r\nAllow: GET, HEAD",
                       "The metrics can only be read: GET /metrics\n", true, size);
    if (!request.is_for_metrics)
        return refusal("404 Not Found", "The metrics are at /metrics\n", with_body, size);
    return metrics_response(&request, metrics, context, size);
}
