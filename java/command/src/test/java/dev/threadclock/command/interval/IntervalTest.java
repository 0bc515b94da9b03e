// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rows of an interval, by thread and by pool. */
class IntervalTest {
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
