/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests: the metrics, or what is wrong with the request. */
#ifndef TC_SCRAPE_RESPONSE_H
#define TC_SCRAPE_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics.h"
#include "sys.h"

/* Appends the metrics: 0, or a negative errno; then there are none. */
typedef int scrape_metrics(void *context, bool open_metrics, struct tc_text *text);

/*
 * The response of HTTP, of *size bytes, from malloc, to the head of a request, as scrape_server.h describes
 * it; null: no memory. is_local: only this machine can ask, and a browser on it must not ask for others' web
 * pages.
 */
TC_INTERNAL char *scrape_response(const char *head, size_t head_size, bool is_local, scrape_metrics *metrics,
                                  void *context, size_t *size);

#endif
