// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.measure.Judgement;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.page.Figures;
import java.util.Map;
import java.util.Optional;

/**
 * Whether Flight Recorder splits the CPU time of this JVM's threads rightly. It calls libjvm, as ThreadMXBean
 * does in a JVM without the agent, so the trial of the JDK, which runs without it, covers both.
 */
final class RecorderFinding {
    private static final String LABEL = "Flight Recorder";
    private static final String ANSWERER = "libjvm.user_time";
    private static final String JVM = "jvm";

    private RecorderFinding() {}

    /**
     * Empty if there is nothing to say: the split is right without help, or nothing at all is known.
     *
     * @param verdict of the trial or, without one, of the JVM's version
     * @param status what the agent in the JVM reports; empty if it is not active
     * @param remedy the command line that corrects the split
     */
    static Optional<Finding> of(JdkTrial trial, Judgement verdict, Map<String, String> status,
            String remedy) {
        String answerer = status.getOrDefault(ANSWERER, JVM);
        if (answerer.equals("threadclock")) {
            return Optional.of(Finding.ok(LABEL, Judgement.RIGHT.word(),
                    "right: threadclock answers libjvm too (reach=jvm)"
                            + (verdict == Judgement.WRONG ? ". Without it: wrong" : "")));
        }
        boolean readsVirt = answerer.startsWith(JVM + ": it reads the VIRT clock");
        if (verdict == Judgement.WRONG || verdict == Judgement.UNKNOWN && readsVirt) {
            return Optional.of(Finding.wrong(LABEL, Judgement.WRONG.word(), text(trial, answerer), remedy
                    + ": then it gets the kernel's value; or wait for a JDK that is right (none from"
                    + " 25.0.5 on is known)"));
        }
        boolean readsProc = answerer.startsWith(JVM + ": it reads /proc");
        return verdict == Judgement.UNKNOWN && !status.isEmpty() && !readsProc
                ? Optional.of(Finding.unknown(LABEL, trial.reason())) : Optional.empty();
    }

    private static String text(JdkTrial trial, String answerer) {
        String who = answerer.startsWith(JVM + ":") || answerer.equals(JVM) ? ""
                : ", answered by " + answerer;
        String by = trial.verdict() != Judgement.WRONG ? "not tried, as above"
                : "work around ticks " + Figures.percent(trial.aroundTicks().error()) + ", between them "
                        + Figures.percent(trial.betweenTicks().error()) + "; a trial of its JDK";
        return "wrong" + who + ": jdk.ThreadCPULoad takes user time from a count of ticks (" + by
                + "), and calls the rest system time";
    }
}
