/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM's end of the socket that carries the samples. */
#ifndef TC_AGENT_SAMPLE_CHANNEL_H
#define TC_AGENT_SAMPLE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "sys.h"

/* Connects to a socket of this process's user or root, without waiting. A descriptor, or -1 and a problem. */
TC_INTERNAL int sample_channel_open(const char *path, char *problem, size_t problem_size);

/* Sends the magic number. False: the other end is closed. */
TC_INTERNAL bool sample_channel_greet(int channel);

#endif
