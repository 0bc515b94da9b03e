// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.internal.CpuIntervals.Row;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** No time decreases or counts twice, whatever the clocks of threads and process show. */
class CpuIntervalsTest {
    private final CpuIntervals intervals = new CpuIntervals();
    private final Row thread = new Row(1);

    private static void assertUsed(Counter counter, long user, long system) {
        assertThat(counter.usedUserNanos()).isEqualTo(user);
        assertThat(counter.usedSystemNanos()).isEqualTo(system);
        assertThat(counter.usedTotalNanos()).isEqualTo(user + system);
    }

    private void read(long user, long total) {
        thread.begin();
        intervals.raise(thread, user, total);
    }

    @Test
    void anIntervalHasWhatWasUsedInIt() {
        read(100, 120);
        assertUsed(thread, 100, 20);
        read(400, 430);
        assertUsed(thread, 300, 10);
        read(400, 430);
        assertUsed(thread, 0, 0);
        assertThat(thread.systemNanos()).isEqualTo(30);
    }

    @Test
    void theTimeOfAnEndedThreadDoesNotCountTwice() {
        read(90, 100);
        assertUsed(intervals.rest(90, 100), 0, 0);
        // It has used 4 more before its end, and a thread that no reading saw has used 3.
        assertUsed(intervals.rest(95, 107), 5, 2);
    }

    @Test
    void theRestDoesNotDecreaseWhenTheThreadsAreAhead() {
        read(0, 400);
        assertUsed(intervals.rest(0, 1000), 0, 600);
        read(0, 410);
        assertUsed(intervals.rest(0, 1005), 0, 0);
        assertUsed(intervals.rest(0, 1012), 0, 2);
    }

    @Test
    void anySequenceOfReadingsHasTimesThatAddUpAndDoNotDecrease() {
        Random random = new Random(1);
        long processTotal = 0;
        for (int i = 0; i < 10_000; i++) {
            read(random.nextInt(20_000) - 100, random.nextInt(20_000) - 100);
            processTotal += random.nextInt(10);
            Counter rest = intervals.rest(random.nextInt(20_000), processTotal);
            for (Counter counter : new Counter[]{thread, rest}) {
                assertThat(counter.usedUserNanos()).isNotNegative();
                assertThat(counter.usedSystemNanos()).isNotNegative();
                assertThat(counter.usedUserNanos() + counter.usedSystemNanos())
                        .isEqualTo(counter.usedTotalNanos());
            }
            assertThat(thread.totalNanos() + rest.totalNanos()).isGreaterThanOrEqualTo(processTotal);
        }
    }
}
