/* SPDX-License-Identifier: Apache-2.0 */
/* A log-linear histogram with 256 steps an octave, so that each value is known to 0.4 %. */
#include <stdint.h>
#include <stdio.h>

enum { STEP_BITS = 8, STEPS = 1 << STEP_BITS, BUCKETS = 64 << STEP_BITS };

/* Negative values count as 0. */
static void record(uint64_t histogram[BUCKETS], int64_t signed_ns)
{
    uint64_t ns = signed_ns < 0 ? 0 : (uint64_t)signed_ns;
    int shift = ns < 2 * STEPS ? 0 : 63 - __builtin_clzll(ns) - STEP_BITS;
    histogram[((uint64_t)shift << STEP_BITS) + (ns >> shift)]++;
}

static uint64_t middle(uint64_t bucket)
{
    if (bucket < 2 * STEPS)
        return bucket;
    uint64_t shift = (bucket >> STEP_BITS) - 1;
    return ((STEPS + (bucket & (STEPS - 1))) << shift) + ((uint64_t)1 << shift >> 1);
}

/* "name": [[ns, count], ...] */
static void print_histogram(const char *name, const uint64_t histogram[BUCKETS])
{
    const char *comma = "";
    printf("\"%s\": [", name);
    for (uint64_t b = 0; b < BUCKETS; b++)
        if (histogram[b] > 0) {
            printf("%s[%llu,%llu]", comma, (unsigned long long)middle(b), (unsigned long long)histogram[b]);
            comma = ",";
        }
    printf("]");
}
