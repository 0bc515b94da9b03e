// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

/** The rule for "right": how far a thread's user or system time may be from the truth, in nanoseconds. */
public final class Slack {
    /** The resolution of the kernel's /proc files. */
    public static final long RESOLUTION_NANOS = 10_000_000;

    private static final double FRACTION = 0.05;
    private static final double SAMPLED_FRACTION = 0.15;

    private Slack() {}

    /** The slack for a thread that used this much CPU time in user mode only, or in the kernel only. */
    public static double ofPure(double totalNanos) {
        return RESOLUTION_NANOS + ofTotal(totalNanos);
    }

    /** The slack if user mode and kernel alternate: an estimate from about a hundred ticks. */
    public static double ofMixed(double totalNanos) {
        return RESOLUTION_NANOS + SAMPLED_FRACTION * totalNanos;
    }

    /** The slack for a value that is finer than /proc; the caller adds the value's own resolution. */
    public static double ofTotal(double totalNanos) {
        return FRACTION * totalNanos;
    }

    /** True if the value is off by too much even where the resolution is a large share of the work. */
    public static boolean tooMuchOf(double totalNanos, double offNanos) {
        return offNanos > SAMPLED_FRACTION * totalNanos;
    }
}
