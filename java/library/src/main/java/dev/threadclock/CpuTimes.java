// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Reading;

/**
 * User, system and total time of a thread or the process at one moment: user + system is at most total.
 * Create it once and read into it repeatedly with {@link ThreadClock#read(CpuTimes)} and the similar methods,
 * which then allocate nothing. Not thread safe: use one per thread.
 *
 * <p>All three values are -1 before the first reading and after a failed one; no other value is negative.
 */
public final class CpuTimes {
    final Reading reading = new Reading();

    /** Creates a reading whose times are all unknown (-1). */
    public CpuTimes() {}

    /** {@return user time in nanoseconds, or -1} */
    public long userNanos() {
        return reading.userNanos;
    }

    /** {@return system time in nanoseconds, or -1} */
    public long systemNanos() {
        return reading.systemNanos;
    }

    /** {@return total CPU time in nanoseconds, or -1} */
    public long totalNanos() {
        return reading.totalNanos;
    }

    /**
     * {@return true if these times are known and are of the thread's whole life; false for a virtual thread
     * that ran before it was accounted for, whose earlier time is missing. Differences are right
     * nevertheless}
     */
    public boolean isWhole() {
        return reading.isWhole;
    }

    /**
     * {@return user time from an earlier reading to this one, in nanoseconds; -1 if either reading lacks it}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long userNanosSince(CpuTimes earlier) {
        return since(earlier, earlier.userNanos(), userNanos());
    }

    /**
     * {@return system time from an earlier reading to this one, in nanoseconds; -1 if either reading lacks
     * it}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long systemNanosSince(CpuTimes earlier) {
        return since(earlier, earlier.systemNanos(), systemNanos());
    }

    /**
     * {@return total CPU time from an earlier reading to this one, in nanoseconds; -1 if either reading lacks
     * it}
     *
     * @param earlier an earlier reading of the same thread or process
     */
    public long totalNanosSince(CpuTimes earlier) {
        return since(earlier, earlier.totalNanos(), totalNanos());
    }

    /** Also unknown between two accounts of a virtual thread, because accounting was off in between. */
    private long since(CpuTimes earlier, long earlierNanos, long nanos) {
        return reading.account != earlier.reading.account ? -1 : CpuSnapshot.since(earlierNanos, nanos);
    }

    /**
     * Copies another reading into this one.
     *
     * @param other the reading to copy
     */
    public void set(CpuTimes other) {
        reading.set(other.reading);
    }

    /** {@return these times as a value that later readings do not change} */
    public CpuSnapshot snapshot() {
        return new CpuSnapshot(userNanos(), systemNanos(), totalNanos(), reading.account);
    }

    @Override
    public String toString() {
        return snapshot().toString();
    }
}
