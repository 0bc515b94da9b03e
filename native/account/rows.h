/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups of an account as bytes, by which the agent in a JVM answers the node command. The reader trusts
 * none of them: it takes kinds, numbers and names out, and never text that is shown as it is.
 */
#ifndef TC_ROWS_H
#define TC_ROWS_H

#include "metrics.h"
#include "virtual_threads.h"

/*
 * What an answer begins with: the format with the number of metrics. Give it another number when the meaning
 * of a row's bytes changes.
 */
#define TC_ROWS_MAGIC (UINT64_C(0x3130534752554f00) + TC_METRICS)

struct tc_rows_head {
    uint64_t magic, size; /* size: of the answer with this head */
};

/* A row: its kind, its values, and its name with a zero byte. */
enum { TC_ROW_BYTES = 1 + sizeof(int64_t) * TC_METRICS,
       TC_ROWS_BYTES_MAX = sizeof(struct tc_rows_head)
                           + TC_GROUPS_MAX * (TC_ROW_BYTES + TC_GROUP_NAME_BYTES) };

/*
 * Appends an answer: the rows that have a name, those of groups. The end of a longer name is replaced by a
 * hash of the name, so that no two become one.
 */
TC_INTERNAL void tc_rows_put(const struct tc_metric_row *rows, uint32_t count, struct tc_text *text);

/* True if there can be an answer with this head. */
TC_INTERNAL bool tc_rows_begin(const struct tc_rows_head *head);

/*
 * Takes the rows out of a whole answer, in which names that are no UTF-8 are changed, and to which the rows
 * point. Those that have the same kind and name then are added up. Their number; 0: it has none, or is not
 * an answer.
 */
TC_INTERNAL uint32_t tc_rows_take(char *answer, size_t size, struct tc_metric_row rows[TC_GROUPS_MAX]);

#endif
