// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.time.Duration;

/**
 * User, system and total CPU time as a value: of one moment, or of the interval between two. Immutable, so it
 * may be kept, compared and passed between threads. {@link CpuTimes}, {@link CpuMeter}, {@link CpuWork} and
 * {@link ThreadTimes} return their current values as a snapshot, which is the only thing about them that
 * allocates.
 *
 * <pre>{@code
 * CpuSnapshot before = requests.snapshot();
 * ...
 * CpuSnapshot lastMinute = requests.snapshot().minus(before);
 * }</pre>
 *
 * <p>An unknown time is -1; no other is negative.
 */
public final class CpuSnapshot {
    /** No time at all. */
    public static final CpuSnapshot ZERO = new CpuSnapshot(0, 0, 0);

    private final long userNanos;
    private final long systemNanos;
    private final long totalNanos;
    private final long account;

    /**
     * Creates a value from times that were kept elsewhere; -1 stands for an unknown one.
     *
     * @param userNanos user time in nanoseconds
     * @param systemNanos system time in nanoseconds
     * @param totalNanos total CPU time in nanoseconds
     */
    public CpuSnapshot(long userNanos, long systemNanos, long totalNanos) {
        this(userNanos, systemNanos, totalNanos, 0);
    }

    /** The account is a virtual thread's; a difference between two accounts is unknown. */
    CpuSnapshot(long userNanos, long systemNanos, long totalNanos, long account) {
        this.userNanos = userNanos;
        this.systemNanos = systemNanos;
        this.totalNanos = totalNanos;
        this.account = account;
    }

    /** {@return user time in nanoseconds, or -1} */
    public long userNanos() {
        return userNanos;
    }

    /** {@return system time in nanoseconds, or -1} */
    public long systemNanos() {
        return systemNanos;
    }

    /** {@return total CPU time in nanoseconds, or -1} */
    public long totalNanos() {
        return totalNanos;
    }

    /**
     * {@return user time}
     *
     * @throws IllegalStateException if it is unknown
     */
    public Duration user() {
        return duration(userNanos);
    }

    /**
     * {@return system time}
     *
     * @throws IllegalStateException if it is unknown
     */
    public Duration system() {
        return duration(systemNanos);
    }

    /**
     * {@return total CPU time}
     *
     * @throws IllegalStateException if it is unknown
     */
    public Duration total() {
        return duration(totalNanos);
    }

    private static Duration duration(long nanos) {
        if (nanos < 0) {
            throw new IllegalStateException("this CPU time is unknown");
        }
        return Duration.ofNanos(nanos);
    }

    /**
     * {@return what was used between an earlier snapshot and this one; a time that either lacks is unknown
     * (-1)}
     *
     * @param earlier an earlier snapshot of the same thread, process, meter or totals
     */
    public CpuSnapshot minus(CpuSnapshot earlier) {
        if (account != earlier.account) {
            return new CpuSnapshot(-1, -1, -1);
        }
        return new CpuSnapshot(since(earlier.userNanos, userNanos), since(earlier.systemNanos, systemNanos),
                since(earlier.totalNanos, totalNanos));
    }

    /**
     * {@return the sum of both, for example of two threads; a time that either lacks is unknown (-1)}
     *
     * @param other the snapshot to add
     */
    public CpuSnapshot plus(CpuSnapshot other) {
        return new CpuSnapshot(sum(userNanos, other.userNanos), sum(systemNanos, other.systemNanos),
                sum(totalNanos, other.totalNanos));
    }

    /** Values decrease only without native code: system is then total minus user, which counts ticks. */
    static long since(long from, long to) {
        return from < 0 || to < 0 ? -1 : Math.max(0, to - from);
    }

    private static long sum(long one, long other) {
        return one < 0 || other < 0 ? -1 : one + other;
    }

    @Override
    public boolean equals(Object object) {
        if (!(object instanceof CpuSnapshot)) {
            return false;
        }
        CpuSnapshot other = (CpuSnapshot) object;
        return userNanos == other.userNanos && systemNanos == other.systemNanos
                && totalNanos == other.totalNanos;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(31 * (31 * userNanos + systemNanos) + totalNanos);
    }

    @Override
    public String toString() {
        return "user " + userNanos + " ns, system " + systemNanos + " ns, total " + totalNanos + " ns";
    }
}
