// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The phase of the ticks is the densest cluster of observations, even across the circle's end. */
class TickClockTest {
    private static final long LENGTH = 4_000_000;
    private static final long WINDOW = 80_000;

    private static long densest(long... phases) {
        return TickClock.densest(phases, LENGTH, WINDOW);
    }

    @Test
    void strayMomentsDoNotCount() {
        assertThat(densest(10, 3_000_000, 1_000_000, 3_010_000, 2_000_000, 3_020_000)).isEqualTo(3_000_000);
    }

    @Test
    void aClusterAcrossTheEndOfTheCircleIsOne() {
        assertThat(densest(5_000, 20_000, 3_990_000, 2_000_000, 2_010_000)).isEqualTo(3_990_000);
    }

    @Test
    void theFirstOfTheClusterIsTheTick() {
        // Late observations are normal and early ones do not occur, so the first of the cluster is the tick.
        assertThat(densest(170_000, 100_000, 180_000, 110_000, 120_000)).isEqualTo(100_000);
    }

    @Test
    void hertzAreRounded() {
        assertThat(new TickClock(3_333_333, 0).hertz()).isEqualTo(300);
        assertThat(new TickClock(4_000_000, 0).hertz()).isEqualTo(250);
    }
}
