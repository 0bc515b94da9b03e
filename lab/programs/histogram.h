/* SPDX-License-Identifier: Apache-2.0 */
/* A log-linear histogram of nanoseconds, with 256 steps an octave: each value is known to 0.4 %. */
#include <stdint.h>
#include <stdio.h>

enum { STEP_BITS = 8, STEPS = 1 << STEP_BITS, BUCKETS = 64 << STEP_BITS };

static void record(uint64_t counts[BUCKETS], uint64_t ns)
{
    int shift = ns < 2 * STEPS ? 0 : 63 - __builtin_clzll(ns) - STEP_BITS;
    counts[((uint64_t)shift << STEP_BITS) + (ns >> shift)]++;
}

static uint64_t middle(uint64_t bucket)
{
    if (bucket < 2 * STEPS)
        return bucket;
    uint64_t shift = (bucket >> STEP_BITS) - 1;
    return ((STEPS + (bucket & (STEPS - 1))) << shift) + ((uint64_t)1 << shift >> 1);
}

/* As JSON: "name": [[ns,count],...] */
static void print_counts(const char *name, const uint64_t counts[BUCKETS])
{
    const char *comma = "";
    printf("\"%s\": [", name);
    for (uint64_t b = 0; b < BUCKETS; b++)
        if (counts[b] > 0) {
            printf("%s[%llu,%llu]", comma, (unsigned long long)middle(b), (unsigned long long)counts[b]);
            comma = ",";
        }
    printf("]");
}
