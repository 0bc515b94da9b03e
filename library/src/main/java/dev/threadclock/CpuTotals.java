// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.concurrent.atomic.LongAdder;

/**
 * The sum of what several {@link CpuMeter}s measured: a task's CPU time over all its threads. Meters created
 * with it add each finished interval. Thread safe; adding never blocks and, once the adding threads have
 * settled, allocates nothing.
 *
 * <p>Sums are exact while no meter is being stopped. An interval that could not be measured makes the sum of
 * that quantity unknown (-1) for good.
 */
public final class CpuTotals {
    private final Sum user = new Sum();
    private final Sum system = new Sum();
    private final Sum total = new Sum();
    private final Sum wall = new Sum();
    private final LongAdder intervals = new LongAdder();

    /** Creates totals of 0. */
    public CpuTotals() {}

    /**
     * Adds one interval; -1 stands for an unknown value.
     *
     * @param userNanos user time in nanoseconds
     * @param systemNanos system time in nanoseconds
     * @param totalNanos total CPU time in nanoseconds
     * @param wallNanos elapsed time in nanoseconds
     */
    public void add(long userNanos, long systemNanos, long totalNanos, long wallNanos) {
        addSigned(orUnknown(userNanos), orUnknown(systemNanos), orUnknown(totalNanos), orUnknown(wallNanos));
    }

    /** For CpuMeter: here CpuMeter.UNKNOWN stands for an unknown value, and any other may be negative. */
    void addSigned(long userNanos, long systemNanos, long totalNanos, long wallNanos) {
        user.add(userNanos);
        system.add(systemNanos);
        total.add(totalNanos);
        wall.add(wallNanos);
        intervals.increment();
    }

    private static long orUnknown(long nanos) {
        return nanos < 0 ? CpuMeter.UNKNOWN : nanos;
    }

    /** {@return user time in nanoseconds, or -1} */
    public long userNanos() {
        return user.nanos();
    }

    /** {@return system time in nanoseconds, or -1} */
    public long systemNanos() {
        return system.nanos();
    }

    /** {@return total CPU time in nanoseconds, or -1} */
    public long totalNanos() {
        return total.nanos();
    }

    /**
     * {@return elapsed time in nanoseconds, summed over all threads: two threads that work for a second give
     * two seconds}
     */
    public long wallNanos() {
        return wall.nanos();
    }

    /** {@return the number of intervals added} */
    public long intervals() {
        return intervals.sum();
    }

    @Override
    public String toString() {
        return "user " + userNanos() + " ns, system " + systemNanos() + " ns, total " + totalNanos() + " ns, wall " + wallNanos()
                + " ns in " + intervals() + " intervals";
    }

    private static final class Sum {
        private final LongAdder adder = new LongAdder();
        private volatile boolean unknown;

        void add(long nanos) {
            if (nanos == CpuMeter.UNKNOWN) {
                unknown = true;
            } else {
                adder.add(nanos);
            }
        }

        long nanos() {
            return unknown ? -1 : Math.max(0, adder.sum());
        }
    }
}
