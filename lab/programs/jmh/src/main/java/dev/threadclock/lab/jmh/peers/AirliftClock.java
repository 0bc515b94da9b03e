// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import io.airlift.stats.CpuTimer;
import java.util.concurrent.TimeUnit;

/** airlift's CpuTimer, as used by Presto and Trino: wall, total and user of an interval, by ThreadMXBean. */
final class AirliftClock implements OwnThreadClock {
    /** Not thread-safe: benchmarks of this peer run with one state per thread. */
    private final CpuTimer timer = new CpuTimer();

    @Override
    public long userNanos() {
        return timer.elapsedTime().getUser().roundTo(TimeUnit.NANOSECONDS);
    }

    @Override
    public long totalNanos() {
        return timer.elapsedTime().getCpu().roundTo(TimeUnit.NANOSECONDS);
    }
}
