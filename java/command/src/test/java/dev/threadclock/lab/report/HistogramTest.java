// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.command.page.Chart.Curve.Kind;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A histogram made from percentiles omits only the last in a thousand, and each value is in its place. */
class HistogramTest {
    private static double[][] of(double[]... points) {
        return Histogram.of(new Curve("latency", "JDK 17", Kind.PERCENTILES, "%", "ns", points)).points();
    }

    private static double sum(double[][] histogram) {
        return Arrays.stream(histogram).mapToDouble(bin -> bin[1]).sum();
    }

    @Test
    void onlyTheLastInAThousandIsOmitted() {
        double[][] histogram = of(new double[]{10, 100}, new double[]{50, 130}, new double[]{99, 1000},
                new double[]{99.99, 5e6},
                new double[]{100, 1e9});
        assertThat(sum(histogram)).isEqualTo(99.9, within(1e-9));
        assertThat(sum(of(new double[]{0, 8}, new double[]{100, 8}))).isEqualTo(99.9, within(1e-9));
    }

    @Test
    void oneValueIsOneBin() {
        double[][] histogram = of(new double[]{100, 8123});
        assertThat(histogram).hasDimensions(2, 2);
        assertThat(histogram[0][0]).isLessThanOrEqualTo(8123);
        assertThat(histogram[1][0]).isGreaterThan(8123);
        assertThat(histogram[1][1]).as("where it ends").isZero();
    }

    @Test
    void binsAreInOrderAndNoneIsLeftOut() {
        double[][] histogram = of(new double[]{50, 0}, new double[]{90, 20}, new double[]{100, 900});
        for (int i = 1; i < histogram.length; i++) {
            assertThat(histogram[i][0] / histogram[i - 1][0]).isEqualTo(Math.pow(10, 0.1), within(1e-9));
        }
    }

    @Test
    void withoutPercentilesThereIsNoHistogram() {
        assertThat(of()).isEmpty();
    }
}
