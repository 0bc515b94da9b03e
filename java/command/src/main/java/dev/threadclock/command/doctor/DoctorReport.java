// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import com.google.gson.GsonBuilder;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Finding.Level;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.SelfJar;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All findings of the doctor, in the form of its JSON.
 *
 * @param threadclock version
 * @param well nothing is wrong, and everything requested could be examined; determines the exit status
 * @param machine findings by key
 * @param clocks in the order of the table
 * @param jdks null if a JVM was named or if no JDKs were to be tried
 * @param skipped folders that look like a JDK but do not work; null if jdks is null
 * @param jvm findings by key; null if no JVM was named
 */
record DoctorReport(String threadclock, boolean well, Map<String, Finding> machine, List<ClockCosts> clocks,
        List<JdkFindings> jdks,
        List<Jdks.Skipped> skipped, Map<String, Finding> jvm) {
    /** One JDK of this machine with the results of its trials. todo: what to do about it, or "". */
    record JdkFindings(String home, String version, String vendor, JdkTrial trial, VirtualTrial virtualSwitch,
            String todo) {
        static List<JdkFindings> find(Jdks jdks, Progress progress) {
            List<JdkFindings> findings = new ArrayList<>();
            for (Jdk jdk : jdks.jdks()) {
                progress.say(
                        "[" + (findings.size() + 1) + "/" + jdks.jdks().size() + "] trying " + jdk.label());
                JdkTrial trial = JdkTrial.of(jdk);
                findings.add(new JdkFindings(jdk.home().toString(), jdk.version(), jdk.vendor(), trial,
                        VirtualTrial.of(jdk), todo(trial.verdict())));
            }
            return findings;
        }

        static String todo(Verdict verdict) {
            return verdict.withAgent().isEmpty() ? ""
                    : "start programs with " + SelfJar.agentFlag("") + ": then " + verdict.withAgent();
        }

        String label() {
            return "JDK " + version + " " + vendor;
        }

        boolean well() {
            return trial.verdict() == Verdict.RIGHT && !Boolean.TRUE.equals(trial.ownIdTellsTotal());
        }
    }

    static DoctorReport of(String threadclock, Map<String, Finding> machine, List<ClockCosts> clocks,
            List<JdkFindings> jdks, Jdks found,
            Map<String, Finding> jvm) {
        boolean well = machine.values().stream().noneMatch(finding -> finding.level() == Level.WRONG)
                && (jdks == null || jdks.stream().allMatch(JdkFindings::well))
                && (jvm == null || jvm.values().stream().noneMatch(finding -> finding.level() == Level.WRONG)
                        && jvm.get("userTime").level() == Level.OK);
        return new DoctorReport(threadclock, well, machine, clocks, jdks,
                found == null ? null : found.skipped(), jvm);
    }

    String toJson() {
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create()
                .toJson(this) + "\n";
    }
}
