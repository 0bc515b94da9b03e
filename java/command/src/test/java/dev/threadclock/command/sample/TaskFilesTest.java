// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.sample.TaskFiles.RunQueue;
import dev.threadclock.command.sample.TaskFiles.Stat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The kernel's files of a thread are parsed as it prints them, and other text is refused. */
class TaskFilesTest {
    private static Stat stat(String name, long user, long system) {
        return Stat.parse("4711 (" + name + ") S 1 2 3 4 5 6 7 8 9 10 " + user + " " + system
                + " 0 0 20 0 30 0 98765 1 2 3\n").get();
    }

    @Test
    void theNameMayContainAnything() {
        Stat stat = stat("a) R 1 (b\n", 7, 3);
        assertThat(stat.name()).startsWith("a) R 1 (b").doesNotContain("\n");
        assertThat(stat.state()).isEqualTo('S');
        assertThat(stat.start()).isEqualTo(98765);
        assertThat(stat.userNanos()).isEqualTo(70_000_000);
        assertThat(stat.systemNanos()).isEqualTo(30_000_000);
    }

    @Test
    void otherTextIsNotAThread() {
        assertThat(Stat.parse("")).isEmpty();
        assertThat(Stat.parse("1 (a) S 1 2")).isEmpty();
        assertThat(Stat.parse("1 (a) S 1 2 3 4 5 6 7 8 9 10 x 3 0 0 20 0 30 0 98765 1")).isEmpty();
    }

    @Test
    void thePreciseTotalIsSplitAsTheKernelSplits() {
        assertThat(stat("a", 0, 0).times(4_000_000))
                .isEqualTo(new CpuSnapshot(4_000_000, 0, 4_000_000));
        assertThat(stat("a", 3, 1).times(44_000_000))
                .isEqualTo(new CpuSnapshot(33_000_000, 11_000_000, 44_000_000));
        // Without the scheduler's statistics, the total is in units of 10 ms.
        assertThat(stat("a", 3, 1).times(0))
                .isEqualTo(new CpuSnapshot(30_000_000, 10_000_000, 40_000_000));
    }

    @Test
    void theSchedulersThreeNumbersAreParsed() {
        assertThat(RunQueue.parse("1203456789 4711 42\n")).contains(new RunQueue(1_203_456_789, 4711));
    }

    @Test
    void otherTextIsNotStatisticsOfTheScheduler() {
        for (String text : List.of("0 0 0\n", "", "1 2", "a b c", "1 2 3 4")) {
            assertThat(RunQueue.parse(text)).as(text).isEmpty();
        }
    }
}
