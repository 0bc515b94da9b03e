// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Durations of single calls: percentiles in nanoseconds; curve is [fraction of calls 0 to 1, nanoseconds].
 */
public record Latency(
        long reads,
        double meanNanos,
        long p50Nanos,
        long p90Nanos,
        long p99Nanos,
        long p999Nanos,
        long p9999Nanos,
        long maxNanos,
        List<double[]> curve) {
    private static final int POINTS_PER_HALVING = 5;

    /** Decodes a compressed HdrHistogram in Base64. */
    static Latency decode(String word) {
        Histogram reads;
        try {
            reads = Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(word)),
                    0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("no histogram: " + word, e);
        }
        return new Latency(reads.getTotalCount(), reads.getMean(), reads.getValueAtPercentile(50),
                reads.getValueAtPercentile(90), reads.getValueAtPercentile(99),
                reads.getValueAtPercentile(99.9), reads.getValueAtPercentile(99.99), reads.getMaxValue(),
                curve(reads));
    }

    /** With points that are closer together towards the end. */
    private static List<double[]> curve(Histogram reads) {
        List<double[]> points = new ArrayList<>();
        for (HistogramIterationValue value : reads.percentiles(POINTS_PER_HALVING)) {
            points.add(new double[]{value.getPercentileLevelIteratedTo() / 100, value.getValueIteratedTo()});
        }
        return points;
    }
}
