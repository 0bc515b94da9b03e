// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.demo;

import dev.threadclock.terminal.page.Figures;
import java.util.Locale;

/**
 * The user time that a thread of known work reports, and whether it is right. All the work is in user mode,
 * so user time should equal CPU time (read after it).
 *
 * @param rounds how often the thread worked
 * @param roundsOnTime the rounds in which it was at work during the tick, or stopped before it, as planned
 * @param ticks the largest possible number of rounds
 */
public record TickRun(long userNanos, long cpuNanos, int rounds, int roundsOnTime, int ticks) {
    /** The resolution of the kernel's /proc files. */
    private static final long SLACK_NANOS = 10_000_000;
    private static final double SLACK_FRACTION = 0.05;
    /** Where the resolution is a larger share than this of what was measured, it excuses nothing. */
    private static final double MOST_SLACK = 0.15;
    private static final double ON_TIME = 0.97;

    /** 0.1: the user time is 10 % too high. */
    public double error() {
        return (double) (userNanos - cpuNanos) / cpuNanos;
    }

    /** What the run says of user time. */
    public enum Judgement {
        RIGHT, WRONG, OPEN
    }

    /**
     * OPEN: it did too little work for the resolution, or other threads pushed the work off its moments. More
     * user time than CPU time is wrong whatever disturbed it.
     */
    public Judgement judgement() {
        long off = Math.abs(userNanos - cpuNanos);
        if (off <= SLACK_NANOS + SLACK_FRACTION * cpuNanos) {
            return off <= MOST_SLACK * cpuNanos ? Judgement.RIGHT : Judgement.OPEN;
        }
        return disturbed() && userNanos < cpuNanos ? Judgement.OPEN : Judgement.WRONG;
    }

    public boolean right() {
        return judgement() == Judgement.RIGHT;
    }

    /** Other threads delayed its work: the run is not conclusive. */
    public boolean disturbed() {
        return roundsOnTime < ON_TIME * ticks;
    }

    /** "right", "wrong by +350 %", or "not judged". */
    public String verdict() {
        return switch (judgement()) {
            case RIGHT -> "right";
            case WRONG -> "wrong by " + Figures.percent(error());
            case OPEN -> "not judged";
        };
    }

    /** "181 of 187 ms". */
    String userOfCpu() {
        return String.format(Locale.ROOT, "%.0f of %.0f ms", userNanos / 1e6, cpuNanos / 1e6);
    }
}
