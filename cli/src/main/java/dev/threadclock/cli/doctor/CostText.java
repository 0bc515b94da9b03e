// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.doctor;

import dev.threadclock.lab.demo.TickRun;
import java.util.Locale;

/** Formats figures for people. */
final class CostText {
    private CostText() {}

    /** Three significant digits, with thousands separators. */
    static String of(double value) {
        String form = value >= 99.95 ? "%,.0f" : value >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, form, value);
    }

    /** "a read 8,123 ns, 380 x nanoTime()", followed by what is wrong with it. */
    static String cost(JdkTrial trial) {
        String cost = "a read " + of(trial.userNanos()) + " ns, " + of(trial.userNanos() / trial.nanoTimeNanos()) + " × nanoTime()";
        return trial.verdict() == Judgement.WRONG ? cost + "; " + errors(trial) : cost;
    }

    private static String errors(JdkTrial trial) {
        return "work around ticks " + error(trial.aroundTicks()) + ", between them " + error(trial.betweenTicks());
    }

    private static String error(TickRun run) {
        long percent = Math.round(run.error() * 100);
        return (percent > 0 ? "+" : "") + percent + " %";
    }
}
