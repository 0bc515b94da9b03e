// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** No time decreases or counts twice, whatever a clock shows. */
class CounterTest {
    private final Counter counter = new Counter();

    private void read(long user, long total) {
        counter.begin();
        counter.raise(user, total);
    }

    private void assertUsed(long user, long system) {
        assertThat(counter.usedUserNanos()).isEqualTo(user);
        assertThat(counter.usedSystemNanos()).isEqualTo(system);
        assertThat(counter.usedTotalNanos()).isEqualTo(user + system);
    }

    @Test
    void anIntervalHasWhatWasUsedInIt() {
        read(100, 120);
        assertUsed(100, 20);
        read(400, 430);
        assertUsed(300, 10);
        read(400, 430);
        assertUsed(0, 0);
        assertThat(counter.systemNanos()).isEqualTo(30);
    }

    @Test
    void anySequenceOfReadingsHasTimesThatAddUpAndDoNotDecrease() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            read(random.nextInt(20_000) - 100, random.nextInt(20_000) - 100);
            assertThat(counter.usedUserNanos()).isNotNegative();
            assertThat(counter.usedSystemNanos()).isNotNegative();
            assertThat(counter.usedUserNanos() + counter.usedSystemNanos())
                    .isEqualTo(counter.usedTotalNanos());
        }
    }
}
