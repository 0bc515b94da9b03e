// SPDX-License-Identifier: Apache-2.0
// airlift's CpuTimer, as Presto and Trino meter with it: wall, total and user of an interval, over ThreadMXBean.
package dev.threadclock.bench.peers;

import io.airlift.stats.CpuTimer;
import java.util.concurrent.TimeUnit;

final class AirliftClock implements OwnThreadClock {
    /** Of one thread: benchmarks of this peer run with a state per thread. */
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
