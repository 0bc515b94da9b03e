/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of an HTTP request for metrics asks for. Knows neither connections nor the JVM. */
#ifndef TC_SCRAPE_REQUEST_H
#define TC_SCRAPE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

enum scrape_method { SCRAPE_GET, SCRAPE_HEAD, SCRAPE_OTHER };

struct scrape_request {
    enum scrape_method method;
    bool is_for_metrics; /* by its path, without the query */
    bool is_by_address;  /* not by a name, which its owner's name server could lead here for a web page */
    bool wants_open_metrics;
};

/*
 * Parses a head, of SCRAPE_HEAD_BYTES at most, which need not end: false if it is no request of HTTP 1. Takes
 * time in proportion to size.
 */
TC_INTERNAL bool scrape_request_parse(const char *head, size_t size, struct scrape_request *request);

#endif
