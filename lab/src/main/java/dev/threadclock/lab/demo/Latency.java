// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.demo;

import java.util.List;

/**
 * How long single calls took: percentiles in nanoseconds; the curve has [fraction of calls, nanoseconds] from
 * 0 to 1.
 */
record Latency(
        long reads,
        double meanNanos,
        long p50Nanos,
        long p90Nanos,
        long p99Nanos,
        long p999Nanos,
        long p9999Nanos,
        long maxNanos,
        List<double[]> curve) {}
