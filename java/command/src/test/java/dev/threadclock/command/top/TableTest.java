// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.machine.Contention;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** What top shows can be parsed by programs. */
class TableTest {
    private static final CpuSnapshot TIMES = new CpuSnapshot(6, 14, 20);
    private static final Contention CONTENTION = new Contention(4L, 2, 30L).since(new Contention(0L, 2, 10L));

    private static Use use(String name) {
        return new Use(name, 101, 1, 1, 'R', 1, TIMES, TIMES);
    }

    private static Iteration iteration(Contention contention) {
        return new Iteration(
                new Interval(5, 2_000, TIMES, TIMES, List.of(use("a \"b\"")),
                        List.of(use("gone-1"), use("gone-2"))),
                contention,
                new HostLoad(OptionalDouble.of(3.14), OptionalDouble.empty()));
    }

    private static JsonObject json(Contention contention, boolean grouped) {
        Iteration iteration = iteration(contention);
        String line = Table.json(7, iteration,
                grouped ? iteration.interval().byPool() : iteration.interval().all(),
                grouped);
        assertThat(line).doesNotContain("\n");
        return JsonParser.parseString(line).getAsJsonObject();
    }

    @Test
    void onANarrowTerminalTheNameIsMoreUsefulThanTheSplit() throws IOException {
        View view = new View(Column.TOTAL, false, "", false, true, 9);
        Iteration iteration = iteration(CONTENTION);
        view.update(iteration.interval());
        assertThat(Table.lines("1", iteration, view, Optional.empty(), 60))
                .contains(" TOTAL%  WAIT%       TIME S     TID  THREAD")
                .allMatch(each -> each.length() <= 60);
        assertThat(Table.lines("1", iteration, view, Optional.empty(), 80))
                .anyMatch(each -> each.contains("USER%"));
    }

    @Test
    void aFilterThatNoNameContainsIsNamed() throws IOException {
        View view = new View(Column.TOTAL, false, "nosuch", false, false, 9);
        Iteration iteration = iteration(CONTENTION);
        view.update(iteration.interval());
        assertThat(Table.lines("1", iteration, view, Optional.empty(), 80)).endsWith(
                "no name contains 'nosuch'", "");
        view.filterBy("GONE");
        view.update(iteration.interval());
        assertThat(Table.lines("1", iteration, view, Optional.empty(), 80))
                .noneMatch(line -> line.startsWith("no name"));
    }

    @Test
    void jsonIsAnObjectWithAllThreads() {
        JsonObject object = json(CONTENTION, false);
        assertThat(object.get("end").getAsString()).isEqualTo("1970-01-01T00:00:00.005Z");
        assertThat(object.get("limitCpus").getAsDouble()).isEqualTo(2);
        assertThat(object.get("throttledNanos").getAsLong()).isEqualTo(20);
        assertThat(object.getAsJsonArray("threads")).hasSize(3);
        assertThat(object.getAsJsonArray("threads").get(0).getAsJsonObject().get("systemNanos").getAsLong())
                .isEqualTo(14);
    }

    @Test
    void poolsShowTheirNumberOfThreads() {
        JsonObject object = json(CONTENTION, true);
        assertThat(object.getAsJsonArray("pools")).hasSize(2);
        assertThat(object.getAsJsonArray("pools").get(1).getAsJsonObject().get("threads").getAsInt())
                .isEqualTo(2);
    }

    @Test
    void withoutALimitNothingIsHindered() {
        assertThat(json(new Contention(0L, Double.POSITIVE_INFINITY, 0L), false).has("limitCpus")).isFalse();
        assertThat(json(CONTENTION, false).get("load").getAsDouble()).isEqualTo(3.14);
        assertThat(json(CONTENTION, false).has("cpuPressurePercent")).as("a kernel without it").isFalse();
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        JsonObject object = json(new Contention(null, Double.POSITIVE_INFINITY, null).since(CONTENTION),
                false);
        assertThat(object.has("stolenNanos")).isFalse();
        assertThat(object.has("throttledNanos")).isFalse();
    }

    /** Of an interval of 2,000 ns. */
    @Test
    void aWaitThatBeganEarlierIsNotMoreThanTheInterval() {
        Interval interval = iteration(CONTENTION).interval();
        assertThat(Column.line(interval, use("a").withWait(500), false, 80)).contains(" 25.0 ");
        assertThat(Column.line(interval, use("a").withWait(3_000), false, 80)).contains(" 100.0 ");
    }

    @Test
    void timesAreFormattedBriefly() {
        assertThat(Column.time(62_030_000_000L)).isEqualTo("1:02.03");
        assertThat(Column.time(3_723_000_000_000L)).isEqualTo("1:02:03");
    }
}
