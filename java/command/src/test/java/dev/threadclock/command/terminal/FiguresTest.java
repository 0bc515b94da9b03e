// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers have three significant digits at every size in every locale, and the right unit. */
class FiguresTest {
    @ParameterizedTest
    @CsvSource({"0, 0.00", "9.994, 9.99", "9.996, 10.0", "99.94, 99.9", "99.96, 100", "8021.4, '8,021'",
        "1234567, '1,234,567'",
        "-0.5, -0.50", "-12.34, -12.3"})
    void threeDigits(double value, String shown) {
        assertThat(Figures.number(value)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"85, 85.0 ns", "999, 999 ns", "1000, 1.00 µs", "15200, 15.2 µs", "3600000, 3.60 ms",
        "-1250, -1.25 µs"})
    void durationsHaveTheUnitThatFits(double nanos, String shown) {
        assertThat(Figures.duration(nanos)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"3.5, +350 %", "-0.034, -3 %", "0.004, 0 %", "-0.004, 0 %"})
    void percentsHaveASign(double fraction, String shown) {
        assertThat(Figures.percent(fraction)).isEqualTo(shown);
    }

    @Test
    void theMachinesLanguageDoesNotMatter() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(Figures.nanos(8021)).isEqualTo("8,021 ns");
            assertThat(Figures.times(3.42)).isEqualTo("3.42×");
            assertThat(Figures.duration(15_200)).isEqualTo("15.2 µs");
        } finally {
            Locale.setDefault(before);
        }
    }
}
