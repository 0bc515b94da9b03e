// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
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

    @Test
    void thePreciseTotalIsSplitAsTheKernelSplits() {
        assertThat(stat("a", 0, 0).of(4_000_000, CpuSnapshot.ZERO))
                .isEqualTo(new CpuSnapshot(4_000_000, 0, 4_000_000));
        assertThat(stat("a", 3, 1).of(44_000_000, CpuSnapshot.ZERO))
                .isEqualTo(new CpuSnapshot(33_000_000, 11_000_000, 44_000_000));
        // Without the scheduler's statistics, the total is in units of 10 ms.
        assertThat(stat("a", 3, 1).of(0, CpuSnapshot.ZERO))
                .isEqualTo(new CpuSnapshot(30_000_000, 10_000_000, 40_000_000));
    }

    @Test
    void noValueDecreases() {
        CpuSnapshot before = new CpuSnapshot(33_000_000, 11_000_000, 44_000_000);
        CpuSnapshot after = stat("a", 3, 2).of(51_000_000, before);
        assertThat(after.userNanos()).isGreaterThanOrEqualTo(before.userNanos());
        assertThat(after.systemNanos()).isGreaterThanOrEqualTo(before.systemNanos());
        assertThat(after.userNanos() + after.systemNanos()).isEqualTo(after.totalNanos());
        assertThat(stat("a", 1, 0).of(10_000_000, before)).isEqualTo(before);
    }
}
