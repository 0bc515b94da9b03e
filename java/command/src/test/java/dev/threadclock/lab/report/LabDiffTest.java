// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Style;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two runs agree if their verdicts do. Figures differ if they differ by more than their noise. */
class LabDiffTest {
    private static LabReport run(Verdict verdict, double value, double spread) {
        return Reports.of(Reports.result("first", 1, verdict, Reports.QUIET, Reports.mean(value, spread)));
    }

    private static List<String> text(LabDiff diff) {
        return new LabDiffText(diff, new Style(false), false).lines();
    }

    @ParameterizedTest
    @CsvSource({"100, 5, 108, 5, false", "100, 5, 111, 5, true", "100, 0, 108, 5, true",
        "100, 0, 140, 0, false", "100, 0, 250, 0, true",
        "100, 0, 40, 0, true", "0, 0, 0, 0, false", "0, 0, 3, 0, true"})
    void onlyAChangeBeyondTheNoiseOfBothRunsCounts(double a, double spreadOfA, double b, double spreadOfB,
            boolean beyond) {
        LabDiff diff = LabDiff.of(run(Verdict.CONFIRMED, a, spreadOfA), run(Verdict.CONFIRMED, b, spreadOfB));
        assertThat(diff.changes().get(0).figures().get(0).beyondNoise()).isEqualTo(beyond);
        assertThat(diff.verdictsAgree()).isTrue();
        assertThat(text(diff))
                .anyMatch(line -> line.contains(beyond ? "1 of 1 figures differ" : "0 of 1 figures differ"))
                .contains("The verdicts agree.");
    }

    @Test
    void aVerdictThatChangedIsADifference() {
        LabDiff diff = LabDiff.of(run(Verdict.CONFIRMED, 1, 0), run(Verdict.TOO_NOISY, 1, 0));
        assertThat(diff.verdictsAgree()).isFalse();
        assertThat(text(diff)).anyMatch(line -> line.startsWith("first  confirmed -> too noisy"))
                .contains("1 verdict differs.");
    }

    @Test
    void experimentsOfOnlyOneRunAreNamedButAreNotADifference() {
        LabReport both = Reports.of(Reports.result("first", 1, Verdict.CONFIRMED, Reports.QUIET),
                Reports.result("second", 2, Verdict.FAILED, Reports.LOUD));
        LabDiff diff = LabDiff.of(run(Verdict.CONFIRMED, 1, 0), both);
        assertThat(diff.verdictsAgree()).isTrue();
        assertThat(text(diff))
                .anyMatch(line -> line.startsWith("second  only in B: failed") && line.contains("noisy"));
        assertThat(text(LabDiff.of(both, run(Verdict.CONFIRMED, 1, 0))))
                .anyMatch(line -> line.startsWith("second  only in A"));
    }

    @Test
    void theGreatestDifferencesAreShownFirstAndTheRestIsCounted() {
        Figure[] before = new Figure[6];
        Figure[] after = new Figure[6];
        for (int i = 0; i < before.length; i++) {
            before[i] = new Figure("JDK 17", "p" + i, "ns", 100, 1, "");
            after[i] = new Figure("JDK 17", "p" + i, "ns", 100 + 10 * i, 1, "");
        }
        LabDiff diff = LabDiff.of(
                Reports.of(Reports.result("first", 1, Verdict.CONFIRMED, Reports.QUIET, before)),
                Reports.of(Reports.result("first", 1, Verdict.CONFIRMED, Reports.QUIET, after)));
        assertThat(text(diff)).containsSubsequence("    JDK 17, p5: 100 ns -> 150 ns (+50 %, noise 2 ns)",
                "    JDK 17, p4: 100 ns -> 140 ns (+40 %, noise 2 ns)",
                "    JDK 17, p3: 100 ns -> 130 ns (+30 %, noise 2 ns)",
                "    and 2 more: --all");
        assertThat(new LabDiffText(diff, new Style(false), true).lines())
                .contains("    JDK 17, p0: 100 ns -> 100 ns (0 %, noise 2 ns)");
    }

    @Test
    void runsOfOtherConditionsAreNotComparedSilently() {
        LabReport run = run(Verdict.CONFIRMED, 1, 0);
        LabReport full = new LabReport(run.threadclock(), run.begun(), false, false, true, run.machine(),
                run.facts(), run.jdks(),
                run.results());
        assertThat(text(LabDiff.of(run, full))).anyMatch(line -> line.startsWith("Not comparable"));
        assertThat(text(LabDiff.of(run, run))).noneMatch(line -> line.startsWith("Not comparable"));
    }
}
