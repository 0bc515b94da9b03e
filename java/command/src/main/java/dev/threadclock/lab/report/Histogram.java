// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.command.page.Chart.Curve.Kind;
import java.util.TreeMap;

/** Converts percentiles to a histogram: how many of a hundred values are in each tenth of a decade. */
final class Histogram {
    private static final int BINS_A_DECADE = 10;
    /** The remaining values are spread over many decades and would be a line at zero. */
    private static final double LAST_PERCENTILE = 99.9;
    private static final double LEAST_VALUE = 1;

    private Histogram() {}

    /**
     * Each bin is a point at its left edge, and the end of the last is one of 0. Values are assumed to be
     * spread evenly between two percentiles.
     */
    static Curve of(Curve percentiles) {
        TreeMap<Integer, Double> bins = new TreeMap<>();
        double percentile = 0;
        int bin = 0;
        for (double[] point : percentiles.points()) {
            if (percentile >= LAST_PERCENTILE) {
                break;
            }
            int last = (int) Math.floor(Math.log10(Math.max(LEAST_VALUE, point[1])) * BINS_A_DECADE);
            int first = percentile == 0 ? last : Math.min(bin, last);
            double share = Math.min(point[0], LAST_PERCENTILE) - percentile;
            for (int i = first; i <= last; i++) {
                bins.merge(i, share / (last - first + 1), Double::sum);
            }
            percentile = point[0];
            bin = last;
        }
        if (!bins.isEmpty()) {
            bins.put(bins.lastKey() + 1, 0.0);
        }
        double[][] points = bins.entrySet().stream()
                .map(each -> new double[]{edge(each.getKey()), each.getValue()}).toArray(double[][]::new);
        return new Curve(percentiles.group() + ", how often", percentiles.name(), Kind.HISTOGRAM,
                percentiles.yUnit(), "% of all", points);
    }

    private static double edge(int bin) {
        return Math.pow(10, (double) bin / BINS_A_DECADE);
    }
}
