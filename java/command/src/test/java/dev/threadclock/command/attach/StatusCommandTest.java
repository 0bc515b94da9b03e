// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.terminal.Style;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A JVM's report is shown in columns, whatever it contains. */
class StatusCommandTest {
    @Test
    void oneLongNameDoesNotMakeAllLinesLong() {
        Map<String, String> report = new LinkedHashMap<>();
        report.put("k".repeat(30_000), "v");
        for (int i = 0; i < 8_000; i++) {
            report.put("user.x" + i, "v");
        }
        assertThat(StatusCommand.lines(report, new Style(false)).stream().mapToInt(String::length).sum())
                .isLessThan(1_000_000);
    }
}
