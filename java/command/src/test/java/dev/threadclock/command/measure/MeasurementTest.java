// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The verdict on a JVM follows from the lines that the measured program prints. */
class MeasurementTest {
    private static final String COST = "cost user 1 %d 1 1 9 9|cost nanoTime 1 20 1 1 9 9|cost cpu 1 380 1"
            + " 1 9 9|";
    private static final String RIGHT = "right around 50000000 50000000 100 100 100|right between 180000000"
            + " 180000000 100 100 100|";
    private static final String COUNTS_TICKS = "right around 400000000 50000000 100 100 100|right between 0"
            + " 180000000 100 100 100|";
    private static final String OWN_ID = "own 4000000 4000000 80000000|done";

    private static MeasurementOutput output(String lines) {
        MeasurementOutput output = new MeasurementOutput(step -> {
        });
        List.of(lines.split("\\|")).forEach(output);
        return output;
    }

    private static Measurement measurement(String lines) {
        MeasurementOutput output = output(lines);
        assertThat(output.complete()).as(lines).isTrue();
        return output.measurement();
    }

    private static Judgement verdict(long userNanos, String runs) {
        return measurement(COST.formatted(userNanos) + runs + OWN_ID).judge();
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
        assertThat(measurement(before + OWN_ID).ownIdTellsTotal()).isFalse();
        assertThat(measurement(before + "own 80000000 4000000 80000100|done").ownIdTellsTotal()).isTrue();
        assertThat(measurement(before + "own 79000000 78000000 80000000|done").ownIdTellsTotal())
                .as("no system time to tell by").isNull();
        assertThat(measurement(before + "done").ownIdTellsTotal()).as("it could not work").isNull();
    }

    @Test
    void whatIsIncompleteOrUnreadableIsNoMeasurement() {
        for (String lines : List.of("", "done", COST.formatted(220) + RIGHT,
                COST.formatted(220) + "right around x|done", COST.formatted(220) + RIGHT + "hello|done",
                COST.formatted(220) + RIGHT + "latency user x|done")) {
            assertThat(output(lines).complete()).as(lines).isFalse();
        }
    }
}
