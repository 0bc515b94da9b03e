/* SPDX-License-Identifier: Apache-2.0 */
/* The socket over which samples go, from the JVM's side. */
#ifndef TC_AGENT_SAMPLE_CHANNEL_H
#define TC_AGENT_SAMPLE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Connects to a socket of this process's user, or root. A descriptor, or -1 with the reason in problem. */
int sample_channel_open(const char *path, char *problem, size_t problem_size);

/* Says who speaks. False: nobody listens. */
bool sample_channel_greet(int channel);

#endif
