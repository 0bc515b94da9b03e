// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.CpuSnapshot;
import java.util.List;

/**
 * The CPU time that the virtual threads of a JVM used between two moments. It is part of what their carriers
 * used.
 *
 * @param nanos the time between the two moments. It differs slightly from the interval's length, because
 *     virtual threads are read shortly before their carriers
 * @param groups all groups, including those that have not run; {@link Use#isVirtual} is true for each
 * @param carriers used by the JVM's own carriers in the interval. The part that the virtual threads did not
 *     use is the scheduler's
 */
public record VirtualUse(long nanos, List<Use> groups, CpuSnapshot carriers) {
    /** The sum over all groups. */
    public CpuSnapshot times() {
        return groups.stream().map(Use::interval).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
    }

    /** The number of living virtual threads. */
    public int threads() {
        return groups.stream().mapToInt(Use::threads).sum();
    }

    public int mounted() {
        return groups.stream().mapToInt(Use::mounted).sum();
    }

    /** The groups that ran. */
    public List<Use> ran() {
        return groups.stream().filter(use -> use.interval().totalNanos() > 0).toList();
    }

    /** Converts nanoseconds used between the two moments to percent of one core. */
    public double percent(long usedNanos) {
        return nanos <= 0 ? 0 : 100.0 * usedNanos / nanos;
    }
}
