// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StealTest {
    @Test
    void stealIsAShareOfAllTimeAndUserIncludesGuest() {
        Steal steal = Steal.of("cpu  400 0 100 450 0 0 0 50 300 0\ncpu0 1 2 3\n")
                .orElseThrow();
        assertThat(steal.hundredths()).isEqualTo(50);
        assertThat(steal.share()).isEqualTo(0.05);
        assertThat(Steal.of("cpu  1 2 3 4\n")).as("Linux before 2.6.11").isEmpty();
        assertThat(Steal.of("intr 1 2 3 4 5 6 7 8 9\n")).isEmpty();
    }
}
