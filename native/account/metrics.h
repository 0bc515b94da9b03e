/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a process (metrics.def): their values at one reading of its account, and their text. */
#ifndef TC_METRICS_H
#define TC_METRICS_H

#include "account.h"
#include "throttling.h"

enum tc_metric {
#define METRIC(id, ...) TC_##id,
#include "metrics.def"
#undef METRIC
    TC_METRICS
};

/* The values of a group, or of the process, by metric, in nanoseconds or numbers; -1: unknown, or none. */
struct tc_metric_row {
    const char *name; /* of the group, in modified UTF-8; null: the process */
    enum tc_kind kind;
    int64_t values[TC_METRICS];
    const char *labels; /* further ones, each as tc_text_add_label appends it; null: none */
};

enum { TC_METRIC_ROWS_MAX = TC_GROUPS_MAX + 1 };

/* The last reading: the groups and, in the last row, the process. The names are valid until the next one. */
TC_INTERNAL uint32_t tc_metrics_read(const struct tc_account *account, const struct tc_throttling *throttling,
                                     struct tc_metric_row rows[TC_METRIC_ROWS_MAX]);

/* Text that grows. */
struct tc_text {
    char *bytes; /* from malloc; null: none yet, or no memory */
    size_t size, capacity;
    bool failed; /* no memory */
};

/*
 * Appends rows in Prometheus's text format 0.0.4, or in OpenMetrics 1.0. tc_metrics_write_keys may follow,
 * and tc_metrics_end must.
 */
TC_INTERNAL void tc_metrics_write(const struct tc_metric_row *rows, uint32_t count, bool open_metrics,
                                  struct tc_text *text);

/* Appends the samples of a key, which the row's labels name. They are the same in both formats. */
TC_INTERNAL void tc_metrics_add_key(const struct tc_metric_row *row, struct tc_text *samples);

/* Appends the metric of keys with these samples, unless there are none, or there was no memory for them. */
TC_INTERNAL void tc_metrics_write_keys(const struct tc_text *samples, bool open_metrics,
                                       struct tc_text *text);

/* Appends the version, and what ends OpenMetrics. */
TC_INTERNAL void tc_metrics_end(bool open_metrics, const char *version, struct tc_text *text);

/* Appends. */
TC_INTERNAL void tc_text_add(struct tc_text *text, const char *bytes, size_t size);

/* Appends a comma, and the label with its value, of modified UTF-8, escaped. */
TC_INTERNAL void tc_text_add_label(struct tc_text *text, const char *name, const char *value);

/* Bytes that are no UTF-8, or Java's modified one, become '?': no two of such names become one label. */
TC_INTERNAL void tc_make_utf8(char *name);

#endif
