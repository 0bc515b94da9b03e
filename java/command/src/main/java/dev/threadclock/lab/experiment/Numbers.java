// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import java.util.Arrays;
import java.util.Collection;

/** Medians and spreads of experiments. */
final class Numbers {
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

    /** Half the distance between the lowest and the highest value. */
    static double spread(Collection<Double> values) {
        double lowest = values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        return (values.stream().mapToDouble(Double::doubleValue).max().orElse(0) - lowest) / 2;
    }
}
