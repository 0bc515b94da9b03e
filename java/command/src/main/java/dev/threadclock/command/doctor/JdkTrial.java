// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.measure.MeasuredJvm;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.terminal.Figures;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.terminal.Failure;

/**
 * The verdict on a JDK from a short measurement of one of its JVMs.
 *
 * @param reason why the verdict is unknown, or ""
 * @param userNanos one getCurrentThreadUserTime(), median; null if unknown
 * @param nanoTimeNanos one System.nanoTime() there
 * @param totalNanos one getCurrentThreadCpuTime() there
 * @param aroundTicks the result of a thread that works only around timer ticks
 * @param betweenTicks the result of a thread that works only between them
 * @param ownIdTellsTotal whether getThreadUserTime(own id) returns the total (JDK-8372704); null if unknown
 */
record JdkTrial(Verdict verdict, String reason, Double userNanos, Double nanoTimeNanos, Double totalNanos,
        TickRun aroundTicks, TickRun betweenTicks, Boolean ownIdTellsTotal) {
    private static final int ATTEMPTS = 3;

    /** Takes about two seconds; more if the machine is busy. */
    static JdkTrial of(Jdk jdk) {
        JdkTrial trial = once(jdk);
        for (int attempt = 1; attempt < ATTEMPTS && trial.verdict == Verdict.UNKNOWN
                && trial.userNanos != null; attempt++) {
            trial = once(jdk);
        }
        return trial;
    }

    private static JdkTrial once(Jdk jdk) {
        TickClock ticks;
        try {
            ticks = TickClock.learn();
        } catch (Failure | LinkageError e) {
            return unknown("the ticks cannot be found: " + e.getMessage());
        }
        try {
            return of(new MeasuredJvm(MeasuredJvm.Plan.VERDICT, ticks).run(jdk, false, step -> {
            }));
        } catch (Failure e) {
            return unknown("the trial " + e.getMessage().lines().findFirst().orElse("failed"));
        }
    }

    private static JdkTrial of(Measurement measured) {
        Verdict verdict = measured.verdict();
        return new JdkTrial(verdict, verdict != Verdict.UNKNOWN ? ""
                : "the machine is too busy to tell; run this again when it is quiet",
                measured.user().medianNanos(), measured.nanoTime().medianNanos(),
                measured.cpu().medianNanos(), measured.aroundTicks(), measured.betweenTicks(),
                measured.ownIdTellsTotal());
    }

    static JdkTrial unknown(String reason) {
        return new JdkTrial(Verdict.UNKNOWN, reason, null, null, null, null, null, null);
    }

    /**
     * Without a trial: OpenJDK reads /proc up to 24, and counts ticks from 26 on (JDK-8372584). Of 25 there
     * are both kinds.
     */
    static Verdict ofVersion(int feature) {
        return feature >= 26 ? Verdict.WRONG
                : feature > 0 && feature < 25 ? Verdict.SLOW : Verdict.UNKNOWN;
    }

    /** "a read 8,123 ns, 380 × nanoTime()", followed by what is wrong with it. */
    String cost() {
        String cost = "a read " + Figures.number(userNanos) + " ns, "
                + Figures.number(userNanos / nanoTimeNanos) + " × nanoTime()";
        return verdict != Verdict.WRONG ? cost
                : cost + "; " + errors();
    }

    /** How wrong the user time of threads is that work at chosen moments of the ticks. */
    String errors() {
        return "work around ticks " + Figures.percent(aroundTicks.error()) + ", between them "
                + Figures.percent(betweenTicks.error());
    }
}
