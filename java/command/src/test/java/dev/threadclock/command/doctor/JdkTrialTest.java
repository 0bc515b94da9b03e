// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The verdict on a JDK follows from the lines that its trial prints. */
class JdkTrialTest {
    private static final String COST = "cost user 1 %d 1 1 9 9|cost nanoTime 1 20 1 1 9 9|cost cpu 1 380 1"
            + " 1 9 9|";
    private static final String RIGHT = "right around 50000000 50000000 100 100 100|right between 180000000"
            + " 180000000 100 100 100|";
    private static final String COUNTS_TICKS = "right around 400000000 50000000 100 100 100|right between 0"
            + " 180000000 100 100 100|";
    private static final String OWN_ID = "own 4000000 4000000 80000000|done";

    private static JdkTrial trial(String lines) {
        Map<String, String[]> parsed = new HashMap<>();
        for (String line : lines.split("\\|")) {
            JdkTrial.put(parsed, line);
        }
        return JdkTrial.parse(parsed);
    }

    private static Judgement verdict(long userNanos, String runs) {
        return trial(COST.formatted(userNanos) + runs + OWN_ID).verdict();
    }

    @Test
    void slowIsManySystemCalls() {
        assertThat(verdict(8_000, RIGHT)).isEqualTo(Judgement.SLOW);
    }

    @Test
    void aCountOfTicksIsWrong() {
        assertThat(verdict(220, COUNTS_TICKS)).isEqualTo(Judgement.WRONG);
        assertThat(verdict(220, RIGHT)).isEqualTo(Judgement.RIGHT);
        assertThat(verdict(10, RIGHT)).isEqualTo(Judgement.RIGHT);
    }

    @Test
    void onABusyMachineOnlyTooMuchUserTimeIsWrong() {
        String missed = "right around 0 50000000 90 90 100|right between 0 180000000 90 90 100|";
        assertThat(verdict(220, missed)).isEqualTo(Judgement.UNKNOWN);
        assertThat(verdict(220, missed.replace("around 0", "around 400000000"))).isEqualTo(Judgement.WRONG);
    }

    @Test
    void theOwnIdMayReturnTheTotal() {
        String before = COST.formatted(8_000) + RIGHT;
        assertThat(trial(before + OWN_ID).ownIdTellsTotal()).isFalse();
        assertThat(trial(before + "own 80000000 4000000 80000100|done").ownIdTellsTotal()).isTrue();
        assertThat(trial(before + "own 79000000 78000000 80000000|done").ownIdTellsTotal())
                .as("no system time to tell by").isNull();
        assertThat(trial(before + "done").ownIdTellsTotal()).as("it could not work").isNull();
    }

    @Test
    void anIncompleteTrialIsUnknown() {
        for (String lines : List.of("", "done", COST.formatted(220) + RIGHT,
                COST.formatted(220) + "right around x|done")) {
            assertThat(trial(lines).verdict()).as(lines).isEqualTo(Judgement.UNKNOWN);
            assertThat(trial(lines).reason()).as(lines).isNotEmpty();
        }
    }
}
