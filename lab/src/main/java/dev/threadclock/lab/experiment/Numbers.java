// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** Numbers and spreads of experiments, and their formats in findings. */
final class Numbers {
    private static final double TEN = 10;
    private static final double HUNDRED = 100;

    private Numbers() {}

    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static double median(Collection<Double> values) {
        return median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** Half the distance between the lowest and the highest. */
    static double spread(Collection<Double> values) {
        double lowest = values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        return (values.stream().mapToDouble(Double::doubleValue).max().orElse(0) - lowest) / 2;
    }

    /** "8,123 ns", "41.5 ns", "9.8 us": about three digits. */
    static String nanos(double nanos) {
        return nanos >= 1e6 ? plain(nanos / 1e6) + " ms" : nanos >= 10_000 ? plain(nanos / 1e3) + " us" : plain(nanos) + " ns";
    }

    /** "163x". */
    static String times(double ratio) {
        return plain(ratio) + "x";
    }

    static String plain(double value) {
        return String.format(Locale.ROOT, Math.abs(value) < TEN ? "%.2f" : Math.abs(value) < HUNDRED ? "%.1f" : "%,.0f", value);
    }

    static String percent(double fraction) {
        return String.format(Locale.ROOT, "%+.0f %%", HUNDRED * fraction);
    }
}
