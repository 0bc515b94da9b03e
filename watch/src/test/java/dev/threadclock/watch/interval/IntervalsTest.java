// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.ThreadSample;
import dev.threadclock.watch.sample.VirtualGroup;
import dev.threadclock.watch.sample.VirtualSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What threads used between samples is right for threads that continue, start, end, or reuse another's TID.
 */
class IntervalsTest {
    private static ThreadSample thread(int tid, long serial, String name, long user, long system) {
        return new ThreadSample(tid, serial, serial, name, name, 'R',
                new CpuSnapshot(user, system, user + system));
    }

    private static Sample sample(long second, long processNanos, List<ThreadSample> threads,
            ThreadSample... ended) {
        return new Sample(second * 1000, second * 1_000_000_000,
                new CpuSnapshot(processNanos, 0, processNanos),
                threads, List.of(ended));
    }

    @Test
    void theFirstSampleHasNoInterval() {
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
        assertThat(interval.threads()).extracting(Use::interval).containsExactly(
                new CpuSnapshot(300, 10, 310),
                CpuSnapshot.ZERO);
        assertThat(interval.ran()).extracting(Use::name).containsExactly("a");
        assertThat(interval.ran()).extracting(Use::life).containsExactly(new CpuSnapshot(400, 30, 430));
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
    void aReusedTidIsAnotherThread() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 0, List.of(thread(7, 1, "old", 900, 0))));
        Interval interval = intervals
                .next(sample(2, 0, List.of(thread(7, 2, "new", 40, 0)), thread(7, 1, "old", 901, 0)))
                .orElseThrow();
        assertThat(interval.ran()).extracting(Use::name).containsExactly("new", "old");
        assertThat(interval.ran()).extracting(Use::interval).containsExactly(new CpuSnapshot(40, 0, 40),
                new CpuSnapshot(1, 0, 1));
    }

    /** epoch: 0 if virtual threads were not read. */
    private static Sample virtual(long second, int epoch, long carrierNanos, VirtualGroup... groups) {
        ThreadSample carrier = new ThreadSample(7, 1, 1, "carrier", "carrier", 'R',
                new CpuSnapshot(carrierNanos, 0, carrierNanos), true);
        return new Sample(second * 1000, second * 1_000_000_000, CpuSnapshot.ZERO,
                List.of(carrier, thread(8, 2, "other", 900 * second, 0)), List.of(),
                epoch == 0 ? Optional.empty()
                        : Optional.of(new VirtualSample(second * 999_000_000, epoch, List.of(groups))));
    }

    private static VirtualGroup group(String name, long nanos) {
        return new VirtualGroup(name, 3, 1, new CpuSnapshot(nanos, 1, nanos + 1));
    }

    @Test
    void virtualThreadsAreComparedWithTheLastThatWereRead() {
        Intervals intervals = new Intervals();
        intervals.next(virtual(1, 1, 100, group("a", 50)));
        assertThat(intervals.next(virtual(2, 0, 130)).orElseThrow().virtual()).isEmpty();
        VirtualUse use = intervals.next(virtual(3, 1, 170, group("a", 110), group("b", 4))).orElseThrow()
                .virtual().orElseThrow();
        assertThat(use.nanos()).isEqualTo(1_998_000_000);
        assertThat(use.groups()).extracting(Use::interval).containsExactly(new CpuSnapshot(60, 0, 60),
                new CpuSnapshot(4, 1, 5));
        assertThat(use.carriers()).isEqualTo(new CpuSnapshot(70, 0, 70));
        assertThat(use.threads()).isEqualTo(6);
        assertThat(use.mounted()).isEqualTo(2);
        assertThat(intervals.next(virtual(4, 1, 171, group("a", 110))).orElseThrow().virtual()
                .orElseThrow().carriers()).isEqualTo(new CpuSnapshot(1, 0, 1));
    }

    @Test
    void accountingThatHasJustBegunHasNoInterval() {
        Intervals intervals = new Intervals();
        intervals.next(virtual(1, 0, 100));
        assertThat(intervals.next(virtual(2, 1, 110, group("a", 50))).orElseThrow().virtual()).isEmpty();
    }

    @Test
    void accountingThatWasOffMeanwhileHasNoInterval() {
        Intervals intervals = new Intervals();
        intervals.next(virtual(1, 1, 100, group("a", 50)));
        intervals.next(virtual(2, 0, 200));
        assertThat(intervals.next(virtual(3, 3, 300, group("a", 60))).orElseThrow().virtual()).isEmpty();
        assertThat(intervals.next(virtual(4, 3, 310, group("a", 65))).orElseThrow().virtual().orElseThrow()
                .carriers()).isEqualTo(new CpuSnapshot(10, 0, 10));
    }

    @Test
    void endedThreadsAreShownByPool() {
        Intervals intervals = new Intervals();
        intervals.next(sample(1, 0, List.of()));
        Interval interval = intervals
                .next(sample(2, 0, List.of(thread(7, 1, "a", 1, 0)), thread(8, 2, "gone-1", 3, 0),
                        thread(9, 3, "gone-2", 7, 0)))
                .orElseThrow();
        assertThat(interval.byThread()).extracting(Use::name).containsExactly("a", "gone-* (2 ended)");
        assertThat(interval.byThread().get(1).interval()).isEqualTo(new CpuSnapshot(10, 0, 10));
        assertThat(interval.byPool()).extracting(Use::name).containsExactly("a", "gone-*");
    }
}
