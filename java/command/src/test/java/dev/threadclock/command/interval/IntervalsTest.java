// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Timeline.Series;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The rows of an interval; and of a recording, however long it is and however many threads it has, with
 * bounded memory and without losing a nanosecond.
 */
class IntervalsTest {
    private static final int INTERVALS = 5 * Timeline.MOST_COLUMNS + 7;

    private static Interval interval(int i, String name) {
        return new Interval(1000L * (i + 1), 1_000_000_000, new CpuSnapshot(6, 3, 9),
                new CpuSnapshot(6, 3, 9),
                List.of(Use.recorded(1, "steady", 1, 1, new CpuSnapshot(4, 1, 5))),
                List.of(Use.recorded(2 + i, name, 2, 2 + i, new CpuSnapshot(2, 1, 4))));
    }

    @Test
    void aLongRecordingKeepsAllTimeInFewerColumns() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < INTERVALS; i++) {
            timeline.add(interval(i, "job-" + i % 3));
        }
        assertThat(timeline.columns()).isBetween(Timeline.MOST_COLUMNS / 2, Timeline.MOST_COLUMNS);
        assertThat(timeline.nanos()).isEqualTo(INTERVALS * 1_000_000_000L);
        assertThat(timeline.startMillis()).isZero();
        assertThat(timeline.endMillis(timeline.columns() - 1)).isEqualTo(1000L * INTERVALS);
        assertThat(timeline.process().userNanos()).isEqualTo(6L * INTERVALS);
        assertThat(timeline.pools()).extracting(Series::name).containsExactly("steady", "job-*");
        assertThat(timeline.pools()).extracting(Series::nanos).containsExactly(5L * INTERVALS,
                4L * INTERVALS);
        assertThat(timeline.pools().get(0).userNanos(timeline.columns() / 2)).as("as much in each column")
                .isEqualTo(timeline.pools().get(0).userNanos(0));
    }

    /** Each pool has its own name; the memory of a series is that of all columns. */
    @Test
    void manyPoolsTakeBoundedMemory() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < 10_000; i++) {
            String name = Integer.toString(i, 36).replaceAll("\\d", "-");
            timeline.add(interval(i % 7, name + "x".repeat(i % 100)));
        }
        assertThat(timeline.threads()).hasSizeLessThan(2100);
        assertThat(timeline.threads().stream().mapToLong(Series::nanos).sum()).isEqualTo(10_000 * 9L);
    }

    @Test
    void theStumpAfterALateIntervalIsAPartOfIt() {
        Timeline timeline = new Timeline();
        long[] millis = {3_600_000, 15, 1000, 1000, 1985, 15, 1000, 200};
        for (long length : millis) {
            timeline.add(new Interval(0, length * 1_000_000, new CpuSnapshot(1, 0, 1), CpuSnapshot.ZERO,
                    List.of(), List.of()));
        }
        assertThat(IntStream.range(0, timeline.columns()).mapToLong(timeline::nanos))
                .containsExactly(3_600_015_000_000L, 1_000_000_000L, 1_000_000_000L, 2_000_000_000L,
                        1_200_000_000L);
        assertThat(timeline.nanos()).isEqualTo(LongStream.of(millis).sum() * 1_000_000);
        assertThat(timeline.process().userNanos()).isEqualTo(millis.length);
    }

    @Test
    void threadsWithoutEndAreCountedTogether() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < INTERVALS; i++) {
            timeline.add(interval(i, "request-" + i));
        }
        assertThat(timeline.threads()).hasSizeLessThan(2000);
        assertThat(timeline.threads()).filteredOn(thread -> thread.pool().equals("request-*"))
                .extracting(Series::nanos)
                .satisfies(nanos -> assertThat(nanos.stream().mapToLong(Long::longValue).sum())
                        .isEqualTo(4L * INTERVALS));
        assertThat(timeline.threads()).extracting(Series::name).contains("(other threads)");
        assertThat(timeline.pools()).extracting(Series::threads).containsExactly(1, INTERVALS);
        assertThat(timeline.threads()).filteredOn(thread -> thread.pool().equals("request-*"))
                .extracting(Series::threads)
                .satisfies(counts -> assertThat(counts.stream().mapToInt(Integer::intValue).sum())
                        .isEqualTo(INTERVALS));
    }

    @Test
    void threadsWithTheSameNameAreCountedIndividually() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < INTERVALS; i++) {
            timeline.add(interval(i, "job"));
        }
        assertThat(timeline.threads()).extracting(Series::name, Series::threads)
                .containsExactly(tuple("steady", 1), tuple("job", INTERVALS));
    }

    private static Use thread(String name, int id, long nanos) {
        return Use.recorded(id, name, id, id, new CpuSnapshot(nanos, 0, nanos));
    }

    @Test
    void endedThreadsAreShownByPool() {
        Interval interval = new Interval(0, 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO, List.of(thread("a", 7, 1)),
                List.of(thread("gone-1", 8, 3), thread("gone-2", 9, 7)));
        assertThat(interval.byThread()).extracting(Use::name).containsExactly("a", "gone-* (2 ended)");
        assertThat(interval.byThread().get(1).interval()).isEqualTo(new CpuSnapshot(10, 0, 10));
        assertThat(interval.byPool()).extracting(Use::name).containsExactly("a", "gone-*");
    }
}
