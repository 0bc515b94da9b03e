// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * How long single reads take, including the tail; and for comparison the same two nanoTime() calls with
 * nothing in between.
 */
final class ReadLatency {
    private static final long MAX_NANOS = 10_000_000_000L;
    private static final int DIGITS = 3;
    private static final int POINTS_PER_HALVING = 5;

    private final ThreadMXBean bean;
    private final Histogram read = new Histogram(MAX_NANOS, DIGITS);
    private final Histogram empty = new Histogram(MAX_NANOS, DIGITS);

    ReadLatency(ThreadMXBean bean) {
        this.bean = bean;
    }

    /** The first part compiles the loop and is discarded. */
    void run(long nanos) {
        measure(nanos / 4);
        read.reset();
        empty.reset();
        measure(nanos);
    }

    private void measure(long nanos) {
        long end = System.nanoTime() + nanos;
        long sum = 0;
        long last;
        do {
            long a = System.nanoTime();
            long b = System.nanoTime();
            empty.recordValue(Math.min(b - a, MAX_NANOS));
            long c = System.nanoTime();
            sum += bean.getCurrentThreadUserTime();
            last = System.nanoTime();
            read.recordValue(Math.min(last - c, MAX_NANOS));
        } while (last - end < 0);
        ReadCost.sink += sum;
    }

    void putInto(Map<String, Object> results) {
        results.put("latency", percentiles(read));
        results.put("emptyLatency", percentiles(empty));
    }

    /** The curve's points are closer together towards the end. */
    private static Map<String, Object> percentiles(Histogram reads) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("reads", reads.getTotalCount());
        all.put("meanNanos", reads.getMean());
        all.put("p50Nanos", reads.getValueAtPercentile(50));
        all.put("p90Nanos", reads.getValueAtPercentile(90));
        all.put("p99Nanos", reads.getValueAtPercentile(99));
        all.put("p999Nanos", reads.getValueAtPercentile(99.9));
        all.put("p9999Nanos", reads.getValueAtPercentile(99.99));
        all.put("maxNanos", reads.getMaxValue());
        List<double[]> curve = new ArrayList<>();
        for (HistogramIterationValue value : reads.percentiles(POINTS_PER_HALVING)) {
            curve.add(new double[]{value.getPercentileLevelIteratedTo() / 100, value.getValueIteratedTo()});
        }
        all.put("curve", curve);
        return all;
    }
}
