// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static dev.threadclock.lab.model.Verdict.CONFIRMED;
import static dev.threadclock.lab.model.Verdict.NOT_CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.lab.experiment.FlightRecorder.Mode;
import dev.threadclock.lab.experiment.FlightRecorder.Run;
import dev.threadclock.lab.experiment.RecordedLoad.Event;
import dev.threadclock.lab.model.Verdict;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How loads are computed from a recording's shares, and when the claim holds. */
class FlightRecorderTest {
    private static final double MS = 1e6;
    private static final long TICK_NANOS = 4_000_000;

    private static RecordedLoad load(double userMs, double systemMs, double beanUserMs) {
        return new RecordedLoad("hitter", 600 * MS, 0, userMs * MS, systemMs * MS, 40 * MS, beanUserMs * MS,
                600 * MS, -1);
    }

    private static Run run(boolean legacy, Mode mode, RecordedLoad load) {
        return new Run(legacy ? "JDK 17" : "JDK 27", legacy, mode, List.of(load));
    }

    private static Verdict judged(Run... runs) {
        return FlightRecorder.judge(List.of(runs));
    }

    @Test
    void aShareIsOfAllProcessorsSinceThePreviousEvent() throws Exception {
        Programs.Said said = new Programs.Said(List.of("Started recording 1.", "processors 2",
                "load hitter 10500 600000000 0 590000000 601000000 -1",
                "load avoider 10500 0 900000000 1 2 3", "done"), "");
        List<Event> events = List.of(
                new Event(Instant.ofEpochMilli(9_900), "main", 0.5, 0.5),
                new Event(Instant.ofEpochMilli(11_000), "hitter", 0.1, 0),
                new Event(Instant.ofEpochMilli(11_000), "avoider", 0, 0.1),
                new Event(Instant.ofEpochMilli(12_000), "avoider", 0, 0.1),
                new Event(Instant.ofEpochMilli(13_000), "hitter", 0.25, 0.05));
        List<RecordedLoad> loads = RecordedLoad.of(said, events, TICK_NANOS);
        assertThat(loads).extracting(RecordedLoad::thread).containsExactly("hitter", "avoider");
        RecordedLoad hitter = loads.get(0);
        assertThat(hitter.user()).isCloseTo((0.1 * 2 * 500 + 0.25 * 2 * 1000) * MS, within(1.0));
        assertThat(hitter.system()).isCloseTo(0.05 * 2 * 1000 * MS, within(1.0));
        assertThat(hitter.ticks()).isEqualTo(3 * TICK_NANOS);
        assertThat(hitter.recordedRight()).as("100 ms of system time that were user time").isFalse();
        assertThat(hitter.beanRight()).isTrue();
        assertThat(loads.get(1).system()).isCloseTo(0.1 * 2 * 1500 * MS, within(1.0));
        assertThat(loads.get(1).jvmtiTotal()).isEqualTo(3);
    }

    @Test
    void aProgramThatDidNotEndHasNoResult() {
        Programs.Said said = new Programs.Said(List.of("processors 2"), "");
        assertThatThrownBy(() -> RecordedLoad.of(said, List.of(), TICK_NANOS))
                .isInstanceOf(IOException.class).hasMessageContaining("without its results");
    }

    @Test
    void onlySourcesClaimedToBeRightCanBeWrong() {
        RecordedLoad right = load(590, 5, 600);
        RecordedLoad ticks = load(1_400, 0, 2_000);
        RecordedLoad beanRight = load(1_400, 0, 600);
        assertThat(judged(run(false, Mode.AS_IT_IS, ticks), run(false, Mode.REACH_JVM, right)))
                .isEqualTo(CONFIRMED);
        assertThat(judged(run(false, Mode.AGENT, beanRight))).isEqualTo(CONFIRMED);
        assertThat(judged(run(false, Mode.AGENT, ticks))).as("the bean").isEqualTo(NOT_CONFIRMED);
        assertThat(judged(run(false, Mode.REACH_JVM, beanRight))).isEqualTo(NOT_CONFIRMED);
        assertThat(judged(run(true, Mode.AS_IT_IS, ticks))).isEqualTo(NOT_CONFIRMED);
    }

    @Test
    void theFindingNamesTheLargestErrors() {
        List<Run> runs = List.of(run(true, Mode.AS_IT_IS, load(588, 0, 600)),
                run(false, Mode.AS_IT_IS, load(1_200, 0, 600)),
                run(false, Mode.REACH_JVM, load(606, 0, 600)));
        assertThat(FlightRecorder.finding(runs)).contains("2.00 % where the JVM reads /proc;",
                "100 % where it counts ticks;", "1.00 % where it counts ticks, with reach=jvm.")
                .doesNotContain("Not as claimed");
        assertThat(FlightRecorder.finding(List.of(run(true, Mode.AS_IT_IS, load(0, 600, 600)))))
                .endsWith("Not as claimed: JDK 17, as it is.");
        assertThat(FlightRecorder.table(runs)).contains("\nJDK 27, as it is\n", "1,200", "wrong", "right");
    }
}
