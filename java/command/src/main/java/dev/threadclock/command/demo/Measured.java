// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.page.Figures;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * All results of one child JVM.
 *
 * @param user one getCurrentThreadUserTime()
 * @param nanoTime one System.nanoTime()
 * @param cpu one getCurrentThreadCpuTime()
 * @param latency single getCurrentThreadUserTime() calls, each between two nanoTime() calls
 * @param emptyLatency the same two nanoTime() calls with nothing in between: contained in every figure of
 *     latency
 * @param aroundTicks a fresh thread that works only around timer ticks
 * @param betweenTicks a fresh thread that works only between them
 */
record Measured(
        Cost user, Cost nanoTime, Cost cpu, Latency latency, Latency emptyLatency, TickRun aroundTicks,
        TickRun betweenTicks) {
    /** The machine was too busy with other things to judge whether the values are right. */
    public boolean disturbed() {
        return aroundTicks.disturbed() || betweenTicks.disturbed();
    }

    /** Whether a run of it is not judged. */
    public boolean open() {
        return Stream.of(aroundTicks, betweenTicks)
                .anyMatch(run -> run.judgement() == TickRun.Judgement.OPEN);
    }

    /** The cost of a user time read relative to System.nanoTime(): below 1 is cheaper. */
    public double perNanoTime() {
        return user.medianNanos() / nanoTime.medianNanos();
    }

    /** "right", "wrong by +350 %", or "not judged". */
    static String verdict(TickRun run) {
        return switch (run.judgement()) {
            case RIGHT -> "right";
            case WRONG -> "wrong by " + Figures.percent(run.error());
            case OPEN -> "not judged";
        };
    }

    /** "181 of 187 ms". */
    static String userOfCpu(TickRun run) {
        return String.format(Locale.ROOT, "%.0f of %.0f ms", run.userNanos / 1e6, run.cpuNanos / 1e6);
    }
}
