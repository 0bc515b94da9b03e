// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.internal.CpuIntervals.Counter;
import org.junit.jupiter.api.Test;

class TaskStatTest {
    private static TaskStat stat(String name, long user, long system) {
        return TaskStat.parse("4711 (" + name + ") S 1 2 3 4 5 6 7 8 9 10 " + user + " " + system
                + " 0 0 20 0 30 0 98765 1 2 3\n").get();
    }

    @Test
    void theNameMayContainAnything() {
        TaskStat stat = stat("a) R 1 (b\n", 7, 3);
        assertThat(stat.name()).startsWith("a) R 1 (b").doesNotContain("\n");
        assertThat(stat.state()).isEqualTo('S');
        assertThat(stat.start()).isEqualTo(98765);
        assertThat(stat.userNanos()).isEqualTo(70_000_000);
        assertThat(stat.systemNanos()).isEqualTo(30_000_000);
    }

    @Test
    void otherTextIsNotAThread() {
        assertThat(TaskStat.parse("")).isEmpty();
        assertThat(TaskStat.parse("1 (a) S 1 2")).isEmpty();
        assertThat(TaskStat.parse("1 (a) S 1 2 3 4 5 6 7 8 9 10 x 3 0 0 20 0 30 0 98765 1")).isEmpty();
    }

    private static CpuSnapshot raised(Counter counter, TaskStat stat, long totalNanos) {
        stat.raise(counter, totalNanos);
        return ThreadBook.life(counter);
    }

    @Test
    void thePreciseTotalIsSplitAsTheKernelSplits() {
        assertThat(raised(new Counter(), stat("a", 0, 0), 4_000_000))
                .isEqualTo(new CpuSnapshot(4_000_000, 0, 4_000_000));
        assertThat(raised(new Counter(), stat("a", 3, 1), 44_000_000))
                .isEqualTo(new CpuSnapshot(33_000_000, 11_000_000, 44_000_000));
        // Without the scheduler's statistics, the total is in units of 10 ms.
        assertThat(raised(new Counter(), stat("a", 3, 1), 0))
                .isEqualTo(new CpuSnapshot(30_000_000, 10_000_000, 40_000_000));
    }
}
