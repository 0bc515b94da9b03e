// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The scheduler's statistics are parsed as the kernel prints them, and are empty where it has none. */
class RunQueueTest {
    @Test
    void theKernelsThreeNumbersAreParsed() {
        assertThat(RunQueue.parse("1203456789 4711 42\n")).contains(new RunQueue(1_203_456_789, 4711));
    }

    @Test
    void otherTextIsUnknown() {
        for (String text : List.of("0 0 0\n", "", "1 2", "a b c", "1 2 3 4")) {
            assertThat(RunQueue.parse(text)).as(text).isEmpty();
        }
    }
}
