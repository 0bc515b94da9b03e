// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.measure.Judgement;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.SelfJar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One JDK of this machine with the results of its trials. todo: what to do about it, or "". */
record JdkFindings(String home, String version, String vendor, JdkTrial trial, VirtualTrial virtualSwitch,
        String todo) {
    static List<JdkFindings> find(Jdks jdks, Path jar, Progress progress) {
        List<JdkFindings> findings = new ArrayList<>();
        for (Jdk jdk : jdks.jdks()) {
            progress.say("[" + (findings.size() + 1) + "/" + jdks.jdks().size() + "] trying " + jdk.label());
            JdkTrial trial = JdkTrial.of(jdk, jar);
            findings.add(new JdkFindings(jdk.home().toString(), jdk.version(), jdk.vendor(), trial,
                    VirtualTrial.of(jdk, jar), todo(trial.verdict())));
        }
        return findings;
    }

    static String todo(Judgement verdict) {
        return verdict.withAgent().isEmpty() ? ""
                : "start programs with " + SelfJar.agentFlag("") + ": then " + verdict.withAgent();
    }

    String label() {
        return "JDK " + version + " " + vendor;
    }

    boolean well() {
        return trial.verdict() == Judgement.RIGHT && !Boolean.TRUE.equals(trial.ownIdTellsTotal());
    }
}
