// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.lab.model.Latencies;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Durations of single calls: percentiles in nanoseconds; curve is [fraction of calls 0 to 1, nanoseconds].
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
        List<double[]> curve) {
    static Latency of(Histogram reads) {
        return new Latency(reads.getTotalCount(), reads.getMean(), reads.getValueAtPercentile(50),
                reads.getValueAtPercentile(90), reads.getValueAtPercentile(99),
                reads.getValueAtPercentile(99.9), reads.getValueAtPercentile(99.99), reads.getMaxValue(),
                Arrays.stream(Latencies.curve(reads)).map(point -> new double[]{point[0] / 100, point[1]})
                        .toList());
    }
}
