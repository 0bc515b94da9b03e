// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

/**
 * What a thread with known work reports of itself, and whether it is right. All the work is in user mode, so
 * user time should equal CPU time (read after it).
 */
public final class TickRun {
    /** The resolution of the kernel's /proc files. */
    public static final long RESOLUTION_NANOS = 10_000_000;

    private static final double TOLERANCE = 0.05;
    /** An error that is too large even where the resolution is a large share of the work. */
    private static final double TOO_LARGE = 0.15;
    private static final double ON_TIME = 0.97;

    /** getCurrentThreadUserTime(). */
    public final long userNanos;
    /** getCurrentThreadCpuTime(), read after it. */
    public final long cpuNanos;
    /** How often the thread worked. */
    public final int rounds;
    /** The rounds in which it was at work during the tick, or stopped before the next one, as planned. */
    public final int roundsOnTime;
    /** The number of ticks, each an opportunity for a round. */
    public final int ticks;

    public TickRun(long userNanos, long cpuNanos, int rounds, int roundsOnTime, int ticks) {
        this.userNanos = userNanos;
        this.cpuNanos = cpuNanos;
        this.rounds = rounds;
        this.roundsOnTime = roundsOnTime;
        this.ticks = ticks;
    }

    /** The rule for "right": how far the user time of a thread that worked in user mode only may be off. */
    public static double toleranceNanos(double cpuNanos) {
        return RESOLUTION_NANOS + TOLERANCE * cpuNanos;
    }

    /**
     * UNKNOWN: it did too little work for the resolution, or other threads pushed the work off its moments.
     * More user time than CPU time is wrong whatever disturbed it.
     */
    public Verdict verdict() {
        long off = Math.abs(userNanos - cpuNanos);
        if (off <= toleranceNanos(cpuNanos)) {
            return off > TOO_LARGE * cpuNanos ? Verdict.UNKNOWN : Verdict.RIGHT;
        }
        return disturbed() && userNanos < cpuNanos ? Verdict.UNKNOWN : Verdict.WRONG;
    }

    /** True if other threads delayed its work, so that the run is not conclusive. */
    public boolean disturbed() {
        return roundsOnTime < ON_TIME * ticks;
    }

    /** The relative error of user time; 0.1: it is 10 % too high. */
    public double error() {
        return (double) (userNanos - cpuNanos) / cpuNanos;
    }
}
