// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures have units and axes have marks at every size. */
class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({"8021.4, ns, 8.02 µs", "8, ns, 8 ns", "10.25, ns, 10.3 ns", "-1250.5, ns, -1.25 µs",
        "4096, bytes, '4,096 bytes'",
        "24.53, 1, 24.5", "0, 1, 0", "0.0012, %, 0.0012 %", "-0.034, %, -0.03 %"})
    void valuesHaveTheirUnit(double value, String unit, String shown) {
        assertThat(Quantities.value(value, unit)).isEqualTo(shown);
    }

    @Test
    void aSpreadIsShownIfThereIsOne() {
        assertThat(Quantities.withSpread(Reports.mean(10.25, 0))).isEqualTo("10.3 ns");
        assertThat(Quantities.withSpread(Reports.mean(10.25, 0.5))).isEqualTo("10.3 ns ± 0.50 ns");
    }

    @Test
    void ninesHaveTheSameRoomAndTheMaximumIsAtTheEnd() {
        Axis axis = Axis.nines(99.99);
        assertThat(axis.at(0)).isZero();
        assertThat(axis.at(99) - axis.at(90)).isCloseTo(axis.at(99.9) - axis.at(99), within(1e-6));
        assertThat(axis.at(99.99)).isLessThan(1);
        assertThat(axis.at(100)).isEqualTo(1);
        assertThat(axis.marks()).extracting(Axis.Mark::label).startsWith("0", "90 %", "99 %", "99.9 %")
                .endsWith("max");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "5, 5", "0, 1e-9", "-3, 900", "1e6, 3e12"})
    void aLinearAxisHoldsItsValuesInFewRoundMarks(double least, double most) {
        Axis axis = Axis.linear(least, most, "1");
        assertThat(axis.at(least)).isBetween(0.0, 1.0);
        assertThat(axis.at(most)).isBetween(0.0, 1.0).isGreaterThanOrEqualTo(axis.at(least));
        assertThat(axis.marks()).hasSizeBetween(2, 8)
                .allMatch(mark -> mark.place() >= 0 && mark.place() <= 1.0001);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "10, 10000", "0.002, 3e15", "7, 9"})
    void aLogarithmicAxisHasDecades(double least, double most) {
        Axis axis = Axis.logarithmic(least, most, "ns");
        assertThat(axis.at(least)).isBetween(0.0, 1.0);
        assertThat(axis.at(most)).isGreaterThanOrEqualTo(axis.at(least));
        assertThat(axis.at(0)).isZero();
        assertThat(axis.marks().stream().filter(mark -> !mark.label().isEmpty())).hasSizeBetween(2, 9);
    }
}
