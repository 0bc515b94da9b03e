/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the heads of requests for metrics, and the names of threads in the metrics' text: its first line. */
#include "fuzz.h"
#include "metrics.h"
#include "scrape_request.h"

/* A label ends where it should, whatever the name, and has no control character. */
static void write_label(const char *name)
{
    struct tc_text text = {.size = 0};
    const struct tc_metric_row row = {name, TC_KIND_JAVA, {[TC_THREADS] = 1}};
    tc_metrics_write(&row, 1, false, &text);
    fuzz_assert(!text.failed && text.size > 0 && text.bytes[text.size - 1] == '\n');
    for (size_t i = 0; i < text.size; i++)
        fuzz_assert((unsigned char)text.bytes[i] >= 0x20 || text.bytes[i] == '\n');
    free(text.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *head = fuzz_copy(data, size), *name = fuzz_string(data, size);
    struct scrape_request request, again;
    if (scrape_request_parse(head, size, &request)) {
        fuzz_assert(request.method <= SCRAPE_OTHER);
        fuzz_assert(memchr(head, '/', size) != NULL && memmem(head, size, "HTTP/1.", 7) != NULL);
        fuzz_assert(!request.wants_open_metrics || size > strlen("application/openmetrics-text"));
        fuzz_assert(scrape_request_parse(head, size, &again) && again.is_by_address == request.is_by_address);
    }
    write_label(name);
    free(name);
    free(head);
    return 0;
}
