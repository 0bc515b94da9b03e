// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.terminal.Style;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The report fits into a terminal, also with what a machine measures that is overloaded. */
class DoctorTextTest {
    @ParameterizedTest
    @ValueSource(ints = {80, 60})
    void aReadOfAMillisecondFits(int width) {
        ClockCosts cost = new ClockCosts("user, now", "clock_gettime", null, 2, null, null, 1_075_789.0,
                44_691.0);
        DoctorReport report = new DoctorReport("0.1.0", true, Map.of(), List.of(cost), null, List.of(), null);
        assertThat(new DoctorText(report, new Style(false), width).lines())
                .anyMatch(line -> line.contains(" 1,075,789 ")).allMatch(line -> line.length() <= width);
    }
}
