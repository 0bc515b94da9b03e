/* SPDX-License-Identifier: Apache-2.0 */
#ifndef THREADCLOCK_ATTACH_CHILD_H
#define THREADCLOCK_ATTACH_CHILD_H

#include <stddef.h>

#include "confinement.h"

#define ATTACH_MAX_FIELDS 32
/* The longest message to the parent, its kind included: it fits into the smallest buffers of sockets. */
#define ATTACH_MAX_MESSAGE (1 << 13)

/* What a child is to do: fields[0] is FILES or EXCHANGE (attach_child.c). */
struct attach_order {
    struct confinement target;
    const char *fields[ATTACH_MAX_FIELDS];
    int count;
    const void *library; /* the image of the library to be placed, or NULL */
    size_t library_size;
};

/* Carries out the order in a forked child, and reports over the socket; does not return. */
TC_INTERNAL _Noreturn void attach_child_run(const struct attach_order *order, int parent);

#endif
