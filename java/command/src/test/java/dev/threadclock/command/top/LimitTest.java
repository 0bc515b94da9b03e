// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.top.TopCommand.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitTest {
    @Test
    void lateIntervalsThatComeAtOnceCountWithTheirLength() {
        Limit limit = new Limit(Long.MAX_VALUE, Duration.ofSeconds(100));
        for (int i = 0; i < 4; i++) {
            limit.count(ofTwentySeconds());
        }
        assertThat(limit.isReached()).isFalse();
        limit.count(ofTwentySeconds());
        assertThat(limit.isReached()).isTrue();
    }

    @Test
    void withoutADurationOnlyTheNumberCounts() {
        Limit limit = new Limit(2, Duration.ZERO);
        assertThat(limit.isReached()).isFalse();
        limit.count(ofTwentySeconds());
        assertThat(limit.isReached()).isFalse();
        limit.count(ofTwentySeconds());
        assertThat(limit.isReached()).isTrue();
    }

    private static Interval ofTwentySeconds() {
        return new Interval(0, 20_000_000_000L, null, null, List.of(), List.of());
    }
}
