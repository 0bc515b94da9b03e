// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sums over several threads. */
class CpuTotalsTest {
    @Test
    void addsUpWhatManyThreadsAdd() {
        CpuTotals totals = new CpuTotals();
        IntStream.range(0, 10_000).parallel().forEach(i -> totals.add(1, 2, 3, 4));
        assertThat(totals.userNanos()).isEqualTo(10_000);
        assertThat(totals.systemNanos()).isEqualTo(20_000);
        assertThat(totals.totalNanos()).isEqualTo(30_000);
        assertThat(totals.wallNanos()).isEqualTo(40_000);
        assertThat(totals.intervals()).isEqualTo(10_000);
    }

    /** Reads as of timer ticks would measure a few percent of this, because the thread waits in between. */
    @Test
    void shortTasksOfAThreadThatWaitsForThemAreMeasured() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        long before = ThreadClock.totalNowNanos();
        for (int i = 0; i < 200; i++) {
            totals.measure(() -> {
                for (long end = System.nanoTime() + 500_000; System.nanoTime() < end;) {
                    Thread.onSpinWait();
                }
            });
            Thread.sleep(5);
        }
        long used = ThreadClock.totalNowNanos() - before;
        assertThat(totals.totalNanos()).isBetween(used / 2, used);
    }

    @Test
    void oneUnknownTimeMakesTheSumUnknown() {
        CpuTotals totals = new CpuTotals();
        totals.add(-1, -1, 5, 6);
        totals.add(1, 1, 1, 1);
        assertThat(totals.userNanos()).isEqualTo(-1);
        assertThat(totals.systemNanos()).isEqualTo(-1);
        assertThat(totals.totalNanos()).isEqualTo(6);
        assertThat(totals.intervals()).isEqualTo(2);
    }

    @Test
    void timesThatWereNotReadAreUnknownAndSoIsTheirDifference() {
        CpuTimes times = new CpuTimes();
        assertThat(times.totalNanos()).isEqualTo(-1);
        CpuTimes earlier = new CpuTimes();
        assertThat(ThreadClock.read(times)).isTrue();
        assertThat(times.userNanosSince(earlier)).isEqualTo(-1);
        earlier.set(times);
        assertThat(times.userNanosSince(earlier)).isZero();
    }
}
