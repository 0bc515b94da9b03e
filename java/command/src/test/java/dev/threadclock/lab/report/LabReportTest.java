// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Style;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The report as JSON and Markdown: a written report can be read back, and an invalid file is refused. */
class LabReportTest {
    @TempDir
    Path folder;

    private final LabReport report = Reports.of(
            Reports.result("first", 1, Verdict.CONFIRMED, Reports.QUIET, Reports.mean(8.5, 0.5)),
            Reports.hostile());

    @Test
    void jsonIsReadAgainWithoutLoss() throws Exception {
        Path file = Files.writeString(folder.resolve("lab.json"), report.toJson());
        LabReport read = LabReport.fromJson(file);
        assertThat(read.toJson()).isEqualTo(report.toJson());
        assertThat(read.results().get(0)).isEqualTo(report.results().get(0));
        assertThat(read.results().get(1).outcome().curves().get(0).points())
                .isDeepEqualTo(report.results().get(1).outcome().curves().get(0).points());
        assertThat(read.facts()).isEqualTo(report.facts());
        assertThat(new LabHtml(read).render()).isEqualTo(new LabHtml(report).render());
    }

    @Test
    void markdownIsMadeOfTheJson() throws Exception {
        Path file = Files.writeString(folder.resolve("lab.json"), report.toJson());
        assertThat(LabMarkdown.render(file)).startsWith("""
                | # | claim | here | verdict |
                |---|---|---|---|
                | 1 | title of first | 8 times | **confirmed** |
                """).contains("| 3 |", "\\| \"y\" | **not confirmed** |\n",
                """

                        2 experiments: 1 confirmed, 1 not confirmed. Measured by `threadclock lab --quick` 1.2.3 on 2026-01-31: A CPU, \
                        2 CPUs (virtual), Linux 6.1, HZ=250, clock source tsc.
                        """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[]", "{\"results\": []}", "no JSON", "{\"results\": 3}",
        "{\"threadclock\": \"1\", \"jdks\": []}"})
    void aFileOfAnotherKindIsRefused(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("other.json"), text);
        assertThatThrownBy(() -> LabReport.fromJson(file)).isInstanceOf(Failure.class)
                .hasMessageContaining("other.json is no result");
    }

    @Test
    void aMissingFileIsAFailure() {
        assertThatThrownBy(() -> LabReport.fromJson(folder.resolve("gone.json"))).isInstanceOf(Failure.class)
                .hasMessageContaining("cannot read").hasMessageContaining("no such file");
    }

    @Test
    void theTextHasTheVerdictsAndIfWantedEveryFigure() {
        assertThat(new LabText(report, new Style(false), false).lines())
                .anyMatch(line -> line.startsWith("    1  confirmed  title of first"))
                .noneMatch(line -> line.contains("8.50 ns"));
        assertThat(new LabText(report, new Style(false), true).lines())
                .anyMatch(line -> line.contains("JDK 17, mean: 8.50 ns ± 0.50 ns"));
    }

    @Test
    void theReaderIsToldWhatToDoubt() {
        assertThat(Summary.cautions(report)).anyMatch(caution -> caution.contains("--quick"))
                .anyMatch(caution -> caution.contains("noisy during hostile:"));
        LabReport refused = Reports.of(Reports.result("first", 1, Verdict.NOT_RUNNABLE, Reports.LOUD));
        assertThat(Summary.cautions(refused)).anyMatch(caution -> caution.contains("without root"))
                .noneMatch(caution -> caution.contains("noisy"));
    }
}
