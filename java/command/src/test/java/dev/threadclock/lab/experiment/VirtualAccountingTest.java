// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static dev.threadclock.lab.model.Verdict.CONFIRMED;
import static dev.threadclock.lab.model.Verdict.NOT_CONFIRMED;
import static dev.threadclock.lab.model.Verdict.TOO_NOISY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.lab.experiment.VirtualAccounting.Run;
import dev.threadclock.lab.experiment.VirtualAccounting.Sum;
import dev.threadclock.lab.model.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the loads' output is parsed, and when the claim holds. */
class VirtualAccountingTest {
    private static Run run(String... lines) throws IOException {
        List<String> all = new ArrayList<>(Arrays.asList(lines));
        all.add("done");
        return VirtualAccounting.parse("JDK 25", all);
    }

    private static Verdict judged(String... lines) throws IOException {
        return VirtualAccounting.judge(List.of(run(lines)));
    }

    @Test
    void aSumIsAShareOfItsCarriersTimeInEachRound() throws Exception {
        Run run = run("sum now 1000 990 1000 1000", "mounted 1 100 150", "sum now 1000 980 1000 1000",
                "mounted 1 100 120");
        assertThat(run.sums()).extracting(Sum::what).containsExactly("now, slices of 1000 us");
        assertThat(run.sums().get(0).shares()).containsExactly(0.99, 0.98);
        assertThat(run.mounted().get("beside 1 burner")).containsExactly(1.5, 1.2);
        assertThat(run.sums().get(0).median()).isCloseTo(0.985, within(1e-9));
    }

    @Test
    void aProgramThatDidNotEndHasNoResult() {
        assertThatThrownBy(() -> VirtualAccounting.parse("JDK 25", List.of("sum now 1000 990 1000 1000")))
                .isInstanceOf(IOException.class).hasMessageContaining("without its results");
    }

    @Test
    void theBoundDependsOnTheSlice() throws Exception {
        assertThat(judged("sum now 2000 990 1000 1000", "sum interpolated 100 960 1000 1000"))
                .isEqualTo(CONFIRMED);
        assertThat(judged("sum now 1000 989 1000 1000")).isEqualTo(NOT_CONFIRMED);
        assertThat(judged("sum now 100 959 1000 1000")).isEqualTo(NOT_CONFIRMED);
        assertThat(judged("sum now 10 500 1000 1000", "sum tick 1000 500 1000 1000")).as("shown only")
                .isEqualTo(CONFIRMED);
    }

    @Test
    void roundsThatDisagreeAreNoise() throws Exception {
        assertThat(judged("sum now 1000 980 1000 1000", "sum now 1000 995 1000 1000",
                "sum now 1000 996 1000 1000"))
                .isEqualTo(CONFIRMED);
        assertThat(judged("sum now 1000 980 1000 1000", "sum now 1000 981 1000 1000",
                "sum now 1000 996 1000 1000"))
                .isEqualTo(TOO_NOISY);
    }

    @Test
    void carriersThatWaitForACpuAreNoise() throws Exception {
        assertThat(judged("sum now 1000 900 1000 1060")).isEqualTo(TOO_NOISY);
        assertThat(judged("sum now 1000 900 1000 1040")).isEqualTo(NOT_CONFIRMED);
        assertThat(judged("sum now 1000 1002 1000 3000")).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void aSumAboveTheCarriersTimeIsNeverNoise() throws Exception {
        assertThat(judged("sum now 1000 995 1000 1000", "sum now 1000 996 1000 1000",
                "sum now 1000 1002 1000 1000"))
                .isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void theFindingNamesTheRangesAndWhatIsNotAsClaimed() throws Exception {
        Run run = run("sum now 1000 995 1000 1000", "sum now 100 970 1000 1000", "mounted 4 1000 2000");
        assertThat(VirtualAccounting.finding(List.of(run)))
                .isEqualTo("The sum over virtual threads is 99.5 % to 99.5 % of their carriers' CPU time at"
                        + " slices of 1 ms and longer, 97.0 % to 97.0 % at 100 µs. Mounted time is up to"
                        + " 100 % more than CPU time.");
        assertThat(VirtualAccounting.finding(List.of(run("sum now 1000 900 1000 1000"))))
                .endsWith(" Not as claimed: JDK 25, now, slices of 1000 us, 90.0 %.");
    }
}
