// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import com.google.gson.GsonBuilder;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Finding.Level;
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
