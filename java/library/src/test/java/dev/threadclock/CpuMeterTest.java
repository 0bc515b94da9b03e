// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Intervals that do not end normally: the process is restored, or the owner thread is gone. */
class CpuMeterTest {
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    @Test
    void anIntervalThatSpansARestoreIsUnknown() {
        CpuTotals totals = new CpuTotals();
        CpuMeter meter = new CpuMeter(totals).start();
        meter.stop();
        assertThat(meter.totalNanos()).isNotNegative();
        meter.start();
        meter.totalStart += HOUR_NANOS;
        meter.stop();
        assertThat(meter.userNanos()).isEqualTo(-1);
        assertThat(meter.systemNanos()).isEqualTo(-1);
        assertThat(meter.totalNanos()).isEqualTo(-1);
        assertThat(totals.totalNanos()).isEqualTo(-1);
        assertThat(meter.intervals()).isEqualTo(2);
        meter.reset();
        meter.start().stop();
        assertThat(meter.totalNanos()).isNotNegative();
    }

    @Test
    void anAbandonedIntervalIsDiscardedAndTheMeterCanBeReused() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        CpuMeter meter = new CpuMeter(totals);
        Thread thread = new Thread(meter::start);
        thread.start();
        thread.join();
        assertThatThrownBy(meter::close).isInstanceOf(IllegalStateException.class);
        meter.abandon();
        assertThat(meter.isRunning()).isFalse();
        assertThat(meter.intervals()).isZero();
        meter.close();
        meter.start().stop();
        assertThat(meter.intervals()).isOne();
        assertThat(totals.intervals()).isOne();
    }
}
