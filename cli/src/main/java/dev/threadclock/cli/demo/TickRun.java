// SPDX-License-Identifier: Apache-2.0
// What a thread of known work says of its user time, and whether that is right.
package dev.threadclock.cli.demo;

import dev.threadclock.cli.page.Figures;
import java.util.Locale;

/**
 * All the work is in user mode, so user time should be CPU time (read after it).
 *
 * @param rounds how often the thread worked
 * @param roundsOnTime in how many it was at work during the tick, or stopped before it, as planned
 * @param ticks how many rounds there could have been
 */
public record TickRun(long userNanos, long cpuNanos, int rounds, int roundsOnTime, int ticks) {
    /** The steps in which the kernel's /proc files count. */
    private static final long SLACK_NANOS = 10_000_000;
    private static final double SLACK_FRACTION = 0.05;
    private static final double ON_TIME = 0.97;

    /** 0.1: the user time is 10 % too high. */
    public double error() {
        return (double) (userNanos - cpuNanos) / cpuNanos;
    }

    public boolean right() {
        return Math.abs(userNanos - cpuNanos) <= SLACK_NANOS + SLACK_FRACTION * cpuNanos;
    }

    /** Other threads kept it from its moments: the run says little. */
    public boolean disturbed() {
        return roundsOnTime < ON_TIME * ticks;
    }

    /** "right", or "wrong by +350 %". */
    public String verdict() {
        return right() ? "right" : "wrong by " + Figures.percent(error());
    }

    /** "181 of 187 ms". */
    String userOfCpu() {
        return String.format(Locale.ROOT, "%.0f of %.0f ms", userNanos / 1e6, cpuNanos / 1e6);
    }
}
