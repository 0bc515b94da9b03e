// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Times as values: kept, subtracted, added, compared. */
class CpuSnapshotTest {
    private static final CpuSnapshot NOTHING_KNOWN = new CpuTimes().snapshot();

    private static CpuSnapshot snapshot(long user, long system, long total) {
        return new CpuSnapshot(user, system, total);
    }

    @Test
    void laterReadingsDoNotChangeASnapshot() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readNow(times);
        CpuSnapshot before = times.snapshot();
        long total = times.totalNanos();
        while (times.totalNanos() == total) {
            ThreadClock.readNow(times);
        }
        assertThat(before.totalNanos()).isEqualTo(total);
        assertThat(times.snapshot().minus(before).totalNanos()).isEqualTo(times.totalNanos() - total);
    }

    @Test
    void differencesAndSums() {
        CpuSnapshot earlier = snapshot(1, 2, 4);
        CpuSnapshot later = snapshot(11, 22, 44);
        assertThat(later.minus(earlier)).isEqualTo(snapshot(10, 20, 40));
        assertThat(later.plus(earlier)).isEqualTo(snapshot(12, 24, 48));
        // ThreadMXBean's user time may decrease like this.
        CpuSnapshot lessUser = snapshot(5, 0, 5).minus(snapshot(6, 0, 4));
        assertThat(lessUser).isEqualTo(snapshot(0, 0, 1));
    }

    @Test
    void aTimeThatEitherLacksIsUnknown() {
        assertThat(NOTHING_KNOWN.totalNanos()).isEqualTo(-1);
        assertThat(snapshot(1, 2, 4).minus(NOTHING_KNOWN)).isEqualTo(NOTHING_KNOWN);
        assertThat(NOTHING_KNOWN.plus(snapshot(1, 2, 4))).isEqualTo(NOTHING_KNOWN);
        assertThat(snapshot(-1, 2, 4).plus(snapshot(1, 2, 4))).isEqualTo(snapshot(-1, 4, 8));
    }

    @Test
    void equalTimesAreEqual() {
        assertThat(snapshot(1, 2, 4)).isEqualTo(snapshot(1, 2, 4)).hasSameHashCodeAs(snapshot(1, 2, 4));
        assertThat(snapshot(1, 2, 4)).isNotEqualTo(snapshot(2, 1, 4)).isNotEqualTo(snapshot(1, 2, 5));
        assertThat(snapshot(1, 2, 4)).isNotEqualTo(null);
        assertThat(snapshot(1, 2, 4)).hasToString("user 1 ns, system 2 ns, total 4 ns");
    }

    @Test
    void knownTimesAreDurations() {
        assertThat(snapshot(1, 2, 4).total()).isEqualTo(Duration.ofNanos(4));
        assertThat(snapshot(1, 2, 4).user().plus(snapshot(1, 2, 4).system())).isEqualTo(Duration.ofNanos(3));
        assertThatThrownBy(NOTHING_KNOWN::total).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void metersAndThreadsReturnSnapshots() {
        CpuMeter meter = new CpuMeter().start().stop();
        assertThat(meter.snapshot().totalNanos()).isEqualTo(meter.totalNanos());
        ThreadTimes threads = new ThreadTimes();
        threads.read();
        assertThat(threads.snapshot(0).totalNanos()).isEqualTo(threads.totalNanos(0));
        assertThat(threads.toString()).contains(threads.name(0) + ": " + threads.snapshot(0));
    }

    @Test
    void timesThatWereNotReadAreUnknownAndSoIsTheirDifference() {
        CpuTimes times = new CpuTimes();
        assertThat(times.totalNanos()).isEqualTo(-1);
        CpuTimes earlier = new CpuTimes();
        assertThat(ThreadClock.read(times)).isTrue();
        assertThat(times.userNanosSince(earlier)).isEqualTo(-1);
        earlier.set(times);
        assertThat(times.userNanosSince(earlier)).isZero();
    }
}
