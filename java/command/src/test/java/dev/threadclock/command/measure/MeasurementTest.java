// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.threadclock.command.measure.Measurement.Cost;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.probe.TickRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The verdict on a JVM follows from what the measured program prints. */
class MeasurementTest {
    private static final TickRun RIGHT = run(50, 50, 100);

    private static TickRun run(long userMillis, long cpuMillis, int onTime) {
        return new TickRun(userMillis * 1_000_000, cpuMillis * 1_000_000, onTime, onTime, 100);
    }

    private static Cost cost(double nanos) {
        return new Cost(nanos, nanos, nanos, nanos, 9, 9);
    }

    private static Verdict verdict(double userNanos, TickRun around, TickRun between) {
        Measurement printed = new Measurement(cost(userNanos), cost(20), cost(380), null, around, between,
                null);
        return Measurement.parse(new Gson().toJson(printed)).orElseThrow().verdict();
    }

    @Test
    void slowIsManySystemCalls() {
        assertThat(verdict(8_000, RIGHT, RIGHT)).isEqualTo(Verdict.SLOW);
    }

    @Test
    void aCountOfTicksIsWrong() {
        assertThat(verdict(220, run(400, 50, 100), run(0, 180, 100))).isEqualTo(Verdict.WRONG);
        assertThat(verdict(220, RIGHT, RIGHT)).isEqualTo(Verdict.RIGHT);
        assertThat(verdict(10, RIGHT, RIGHT)).isEqualTo(Verdict.RIGHT);
    }

    @Test
    void onABusyMachineOnlyTooMuchUserTimeIsWrong() {
        assertThat(verdict(220, run(0, 50, 90), run(0, 180, 90))).isEqualTo(Verdict.UNKNOWN);
        assertThat(verdict(220, run(400, 50, 90), run(0, 180, 90))).isEqualTo(Verdict.WRONG);
    }

    @Test
    void whatIsIncompleteOrUnreadableIsNoMeasurement() {
        for (String text : List.of("", "{}", "hello", "[]", "{\"user\": {}, \"around",
                "{\"user\": {\"batches\": \"x\"}}")) {
            assertThat(Measurement.parse(text)).as(text).isEmpty();
        }
    }
}
