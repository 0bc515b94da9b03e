// SPDX-License-Identifier: Apache-2.0
// User, system and total of one moment, in an object that is read into again and again.
package dev.threadclock;

import dev.threadclock.internal.Sample;

/**
 * One reading of a thread or the process: user + system is at most total. Made once and read into again and again, by
 * {@link ThreadClock#read(CpuTimes)} and its like, which then allocate nothing. Not thread safe: use one per thread.
 *
 * <p>All three are -1 before the first reading and after one that failed; no other value is negative.
 */
public final class CpuTimes {
    final Sample sample = new Sample();

    /** Times that are not known yet: -1. */
    public CpuTimes() {}

    /** {@return user time in nanoseconds, or -1} */
    public long userNanos() {
        return sample.userNanos;
    }

    /** {@return system time in nanoseconds, or -1} */
    public long systemNanos() {
        return sample.systemNanos;
    }

    /** {@return total CPU time in nanoseconds, or -1} */
    public long totalNanos() {
        return sample.totalNanos;
    }

    /**
     * {@return user time from an earlier reading to this one, in nanoseconds; -1 if it is not known in one of them}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long userNanosSince(CpuTimes earlier) {
        return since(earlier.userNanos(), userNanos());
    }

    /**
     * {@return system time from an earlier reading to this one, in nanoseconds; -1 if it is not known in one of them}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long systemNanosSince(CpuTimes earlier) {
        return since(earlier.systemNanos(), systemNanos());
    }

    /**
     * {@return total CPU time from an earlier reading to this one, in nanoseconds; -1 if it is not known in one of them}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long totalNanosSince(CpuTimes earlier) {
        return since(earlier.totalNanos(), totalNanos());
    }

    /**
     * Makes this reading the same as another.
     *
     * @param other the reading to take over
     */
    public void set(CpuTimes other) {
        sample.set(other.userNanos(), other.systemNanos(), other.totalNanos());
    }

    /** Nothing goes back but what ThreadMXBean answers without the native library: there system is total less ticks of user. */
    private static long since(long from, long to) {
        return from < 0 || to < 0 ? -1 : Math.max(0, to - from);
    }

    @Override
    public String toString() {
        return "user " + userNanos() + " ns, system " + systemNanos() + " ns, total " + totalNanos() + " ns";
    }
}
