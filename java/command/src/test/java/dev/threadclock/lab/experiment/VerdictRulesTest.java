// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static dev.threadclock.lab.model.Verdict.CONFIRMED;
import static dev.threadclock.lab.model.Verdict.NOT_CONFIRMED;
import static dev.threadclock.lab.model.Verdict.TOO_NOISY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.lab.experiment.KernelAllocation.Allocated;
import dev.threadclock.lab.experiment.Rightness.Reading;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a claim is confirmed, not confirmed, or too noisy. */
class VerdictRulesTest {
    private static final double MS = 1e6;

    private static Speedup speedup(double before, double after, double spread) {
        return new Speedup("it", before, after, spread);
    }

    private static Reading reading(String source, String load, double trueUserMs, double userMs,
            boolean disturbed) {
        return new Reading(source, load, trueUserMs * MS, userMs * MS, 400 * MS, disturbed);
    }

    private static Allocated pages(long pages) {
        return new Allocated(pages, 4096 * pages, pages, 0, 0);
    }

    @Test
    void everySubjectHasToBeFasterByTheFactor() {
        assertThat(Speedup.judge(List.of(speedup(8000, 40, 0), speedup(9000, 40, 0)), 33))
                .isEqualTo(CONFIRMED);
        assertThat(Speedup.judge(List.of(speedup(8000, 40, 0), speedup(9000, 400, 0)), 33))
                .isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void aFactorMissedByNoMoreThanItsSpreadIsNoise() {
        assertThat(Speedup.judge(List.of(speedup(95, 100, 0.1)), 1)).isEqualTo(TOO_NOISY);
        assertThat(Speedup.judge(List.of(speedup(80, 100, 0.1)), 1)).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void runsThatDisagreeAboutPidZeroAreNoise() {
        assertThat(CallerAsZero.judge(List.of(0.17, 0.16, -0.4, 0.15, 0.18))).isEqualTo(CONFIRMED);
        assertThat(CallerAsZero.judge(List.of(0.17, -0.2, 0.3, -0.1, 0.1))).isEqualTo(TOO_NOISY);
        assertThat(CallerAsZero.judge(List.of(0.01, 0.0, -0.01, 0.02, 0.01))).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void aLegacyReadIsThreeSystemCallsAtLeast() {
        assertThat(SystemCalls.judge(List.of(speedup(5, 0.001, 0)))).isEqualTo(CONFIRMED);
        assertThat(SystemCalls.judge(List.of(speedup(1, 0.001, 0)))).isEqualTo(NOT_CONFIRMED);
        assertThat(SystemCalls.judge(List.of(speedup(5, 2, 0)))).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void onePageForProcAndNothingForTheOthers() {
        assertThat(KernelAllocation.judge(pages(1000), List.of(Allocated.NOTHING, pages(3)))).as("a stray"
                + " one").isEqualTo(CONFIRMED);
        assertThat(KernelAllocation.judge(pages(1000), List.of(pages(1000)))).isEqualTo(NOT_CONFIRMED);
        assertThat(KernelAllocation.judge(Allocated.NOTHING, List.of(Allocated.NOTHING)))
                .isEqualTo(NOT_CONFIRMED);
        assertThat(KernelAllocation.judge(pages(1000), List.of(new Allocated(0, 0, 0, 1000,
                256_000)))).as("objects").isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void userTimeCostsMoreThanTotalAsPublished() {
        assertThat(UserAgainstTotal.judge(List.of(40.0, 35.0), List.of(0.02))).isEqualTo(CONFIRMED);
        assertThat(UserAgainstTotal.judge(List.of(16.5, 35.0), List.of(0.02))).isEqualTo(NOT_CONFIRMED);
        assertThat(UserAgainstTotal.judge(List.of(40.0), List.of(1.5))).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void onlyBitsMayBeWrong() {
        Reading right = reading("JDK 17, legacy", "around", 300, 290, false);
        Reading bits = reading("JDK 27, bits", "around", 300, 1600, false);
        assertThat(Rightness.judge(List.of(right, bits))).isEqualTo(CONFIRMED);
        assertThat(Rightness.judge(List.of(right, reading("C: threadclock, tick", "around ticks", 300, 1600,
                false)))).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void aLoadThatDidNotRunAsPlannedIsNoise() {
        assertThat(Rightness.judge(List.of(reading("JDK 17, legacy", "between", 300, 200, true))))
                .isEqualTo(TOO_NOISY);
    }

    @Test
    void mixesAreAllowedTheChanceOfASample() {
        assertThat(reading("JDK 17, legacy", "mix", 200, 250, false).right()).isTrue();
        assertThat(reading("JDK 17, legacy", "user", 400, 350, false).right()).isFalse();
        assertThat(reading("JDK 17, legacy", "mix", 200, 300, false).right()).isFalse();
    }
}
