// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.tests.shared.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Intervals against the kernel's clock, and those that do not end normally. */
class CpuMeterTest {
    /** What a host takes away counts at first, and is taken off the next intervals. */
    private static final long STOLEN_NANOS = 1_000_000;

    /** The sum is within 1 %, 1 us a task and what may be stolen of the kernel's, inside and around. */
    @ParameterizedTest
    @CsvSource({"1000, 20, 0", "1000, 20, 2", "1000, 50, 3", "100, 200, 0", "100, 1000, 2", "100, 10000, 0"})
    void theSumOfManyIntervalsIsTheKernels(int tasks, int micros, int waitMillis)
            throws InterruptedException {
        CpuMeter outer = new CpuMeter();
        CpuMeter meter = new CpuMeter();
        long inside = 0;
        long around = 0;
        for (int i = 0; i < tasks; i++) {
            long before = ThreadClock.totalNowNanos();
            outer.start();
            meter.start();
            long begun = ThreadClock.totalNowNanos();
            Work.burn(micros * 1000L);
            inside += ThreadClock.totalNowNanos() - begun;
            meter.stop();
            outer.stop();
            around += ThreadClock.totalNowNanos() - before;
            Thread.sleep(waitMillis);
        }
        long slack = around / 100 + tasks * 1000 + STOLEN_NANOS;
        assertThat(meter.totalNanos()).isBetween(inside - slack, around + slack)
                .isEqualTo(meter.userNanos() + meter.systemNanos())
                .isLessThanOrEqualTo(outer.totalNanos());
        assertThat(outer.totalNanos()).isLessThanOrEqualTo(around + slack);
        assertThat(meter.intervals()).isEqualTo(tasks);
    }

    @Test
    void aDiscardedIntervalIsNotCountedAndTheMeterCanBeReused() throws InterruptedException {
        CpuMeter meter = new CpuMeter();
        Thread thread = new Thread(meter::start);
        thread.start();
        thread.join();
        assertThatThrownBy(meter::close).isInstanceOf(IllegalStateException.class);
        meter.reset();
        assertThat(meter.isRunning()).isFalse();
        assertThat(meter.intervals()).isZero();
        meter.close();
        meter.start().stop();
        assertThat(meter.intervals()).isOne();
        assertThat(meter.totalNanos()).isNotNegative();
    }
}
