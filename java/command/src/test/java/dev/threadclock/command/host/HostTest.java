// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Load, pressure and stolen time are parsed as the kernel prints them, and are empty where it does not. */
class HostTest {
    @Test
    void theKernelsTextsAreParsed() {
        HostLoad load = HostLoad.parse(Optional.of("4.69 3.96 3.40 2/383 12345"),
                Optional.of(
                        "some avg10=24.31 avg60=30.00 avg300=25.15 total=813456789\nfull avg10=0.00"
                                + " avg60=0.00 avg300=0.00 total=0"));
        assertThat(load.load()).hasValue(4.69);
        assertThat(load.pressurePercent()).hasValue(24.31);
    }

    @Test
    void valuesThatTheKernelOmitsAreUnknown() {
        HostLoad load = HostLoad.parse(Optional.empty(), Optional.of("Operation not supported"));
        assertThat(load.load()).isEmpty();
        assertThat(load.pressurePercent()).isEmpty();
    }

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
