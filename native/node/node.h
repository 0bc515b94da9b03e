/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JVMs of this machine, as far as /proc shows them, and their metrics in one text. For one thread at a
 * time.
 */
#ifndef TC_NODE_H
#define TC_NODE_H

#include "metrics.h"

/* JVMs; processes and names of threads that a reading looks at: a user can start any number. */
enum { NODE_JVMS_MAX = 250, NODE_PROCESSES_MAX = 20000, NODE_NAMES_MAX = 20000 };

/* The text of all agents' groups: a name of 255 characters may be escaped to 1785. */
enum { NODE_AGENTS_BYTES_MAX = 8000000 };

struct node;
struct other_process;

/*
 * What is to stand in the labels of a new JVM, from malloc, as in a row of metrics; null: no memory. It may
 * set is_chosen.
 */
typedef char *node_labels(void *context, struct other_process *process);

/* Null: no memory. */
TC_INTERNAL struct node *node_begin(node_labels *labels, void *context);
TC_INTERNAL void node_end(struct node *node);

/*
 * Appends the metrics of all JVMs: of a new reading, or of the last one if it ended less than a second ago.
 * 0 or a negative errno.
 */
TC_INTERNAL int node_write(struct node *node, bool open_metrics, struct tc_text *text);

/*
 * Takes over the connection to the agent in a JVM: from its first answer until the connection ends, the
 * agent's last account is shown in the place of that by /proc, with one more label. 0, or a negative errno:
 * there is no such JVM, it is attached to already, or there is no memory.
 */
TC_INTERNAL int node_attach(struct node *node, pid_t pid, uint64_t start, int connection);

/* The JVMs of the last reading. */
TC_INTERNAL uint32_t node_jvms(const struct node *node);

#endif
