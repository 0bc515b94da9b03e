// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures with units, at every size. */
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
}
