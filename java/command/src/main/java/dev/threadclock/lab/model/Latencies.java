// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latencies of single reads in nanoseconds to three digits, as written by the probe, JMH and C++ programs.
 */
public final class Latencies {
    private static final int DIGITS = 3;
    private static final int POINTS_PER_HALVING = 5;
    private static final double BULK = 0.9;

    private Latencies() {}

    /** Decodes a compressed HdrHistogram in Base64. */
    public static Histogram decode(String word) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(word)),
                    0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("no histogram: " + word, e);
        }
    }

    /** Builds a histogram from pairs of a value and its count, however deep they are nested in arrays. */
    public static Histogram of(JsonArray pairs) {
        Histogram histogram = new Histogram(DIGITS);
        record(pairs, histogram);
        return histogram;
    }

    private static void record(JsonArray array, Histogram histogram) {
        if (!array.isEmpty() && array.get(0).isJsonPrimitive()) {
            histogram.recordValueWithCount(Math.round(array.get(0).getAsDouble()), array.get(1).getAsLong());
            return;
        }
        for (JsonElement each : array) {
            record(each.getAsJsonArray(), histogram);
        }
    }

    /** Pairs of a percentile (0 to 100) and nanoseconds, closer together towards the end. */
    public static double[][] curve(Histogram histogram) {
        List<double[]> points = new ArrayList<>();
        for (HistogramIterationValue value : histogram.percentiles(POINTS_PER_HALVING)) {
            points.add(new double[]{value.getPercentileLevelIteratedTo(), value.getValueIteratedTo()});
        }
        return points.toArray(new double[0][]);
    }

    /** The mean of the fastest 90 %, which interrupts and other threads have not delayed. */
    public static double bulkMean(Histogram histogram) {
        long bulk = Math.round(BULK * histogram.getTotalCount());
        long left = bulk;
        double sum = 0;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            long taken = Math.min(left, value.getCountAddedInThisIterationStep());
            sum += (double) taken * histogram.medianEquivalentValue(value.getValueIteratedTo());
            left -= taken;
        }
        return bulk == 0 ? 0 : sum / bulk;
    }
}
