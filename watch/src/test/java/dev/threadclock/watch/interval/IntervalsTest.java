// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.ThreadSample;
import dev.threadclock.watch.sample.Times;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What threads used between samples: those that continue, that start, that end, and one that gets another's
 * TID.
 */
class IntervalsTest {
    private static ThreadSample thread(int tid, long serial, String name, long user, long system) {
        return new ThreadSample(tid, serial, serial, name, name, 'R', new Times(user, system, user + system));
    }

    private static Sample sample(long second, long processNanos, List<ThreadSample> threads,
            ThreadSample... ended) {
        return new Sample(second * 1000, second * 1_000_000_000, new Times(processNanos, 0, processNanos),
                threads, List.of(ended));
    }

    @Test
    void theFirstSampleHasNothingToBeComparedWith() {
        assertThat(new Intervals().next(sample(1, 5, List.of(thread(7, 1, "a", 100, 20))))).isEmpty();
    }

    @Test
    void anIntervalHasTheDifferences() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 1000, List.of(thread(7, 1, "a", 100, 20), thread(8, 2, "idle", 50, 5))));
        Interval interval = intervals
                .next(sample(3, 1500, List.of(thread(7, 1, "a", 400, 30), thread(8, 2, "idle", 50, 5))))
                .orElseThrow();
        assertThat(interval.nanos()).isEqualTo(2_000_000_000L);
        assertThat(interval.endMillis()).isEqualTo(3000);
        assertThat(interval.process().totalNanos()).isEqualTo(500);
        assertThat(interval.life().totalNanos()).isEqualTo(1500);
        assertThat(interval.threads()).extracting(Use::interval).containsExactly(new Times(300, 10, 310),
                Times.NONE);
        assertThat(interval.ran()).extracting(Use::name).containsExactly("a");
        assertThat(interval.ran()).extracting(Use::life).containsExactly(new Times(400, 30, 430));
    }

    @Test
    void aThreadThatHasEndedLeavesItsLastShare() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 0, List.of(thread(7, 1, "a", 100, 0))));
        Interval interval = intervals
                .next(sample(2, 0, List.of(), thread(7, 1, "a", 130, 0), thread(9, -5, "brief", 4, 0)))
                .orElseThrow();
        assertThat(interval.ended()).extracting(Use::name).containsExactly("a", "brief");
        assertThat(interval.ran()).extracting(use -> use.interval().totalNanos()).containsExactly(30L, 4L);
    }

    @Test
    void aTidThatIsUsedAgainIsAnotherThread() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 0, List.of(thread(7, 1, "old", 900, 0))));
        Interval interval = intervals
                .next(sample(2, 0, List.of(thread(7, 2, "new", 40, 0)), thread(7, 1, "old", 901, 0)))
                .orElseThrow();
        assertThat(interval.ran()).extracting(Use::name).containsExactly("new", "old");
        assertThat(interval.ran()).extracting(Use::interval).containsExactly(new Times(40, 0, 40),
                new Times(1, 0, 1));
    }

    @Test
    void thoseThatHaveEndedAreShownByPool() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 0, List.of()));
        Interval interval = intervals
                .next(sample(2, 0, List.of(thread(7, 1, "a", 1, 0)), thread(8, 2, "gone-1", 3, 0),
                        thread(9, 3, "gone-2", 7, 0)))
                .orElseThrow();
        assertThat(interval.byThread()).extracting(Use::name).containsExactly("a", "gone-* (2 ended)");
        assertThat(interval.byThread().get(1).interval()).isEqualTo(new Times(10, 0, 10));
        assertThat(interval.byPool()).extracting(Use::name).containsExactly("a", "gone-*");
    }
}
