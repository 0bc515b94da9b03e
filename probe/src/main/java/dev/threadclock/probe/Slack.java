// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.probe;

/**
 * The one rule for "right": how far a thread's user or system time may be from the truth, in nanoseconds.
 */
public final class Slack {
    /** The resolution of the kernel's /proc files. */
    public static final long RESOLUTION_NANOS = 10_000_000;

    private static final double FRACTION = 0.05;
    private static final double SAMPLED_FRACTION = 0.15;

    private Slack() {}

    /** Of a thread in user mode only, or in the kernel only, that used this much CPU time. */
    public static double ofPure(double totalNanos) {
        return RESOLUTION_NANOS + ofTotal(totalNanos);
    }

    /** Where user mode and kernel alternate, the split is an estimate from about a hundred ticks. */
    public static double ofMixed(double totalNanos) {
        return RESOLUTION_NANOS + SAMPLED_FRACTION * totalNanos;
    }

    /** For a value without the resolution of /proc; what it has instead is added. */
    public static double ofTotal(double totalNanos) {
        return FRACTION * totalNanos;
    }

    /** The resolution is too large a share of so little work to excuse anything. */
    public static boolean tooMuchOf(double totalNanos, double offNanos) {
        return offNanos > SAMPLED_FRACTION * totalNanos;
    }
}
