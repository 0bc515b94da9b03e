// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.command.doctor.DoctorReport.JdkFindings;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.machine.MachineFindings;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The doctor command: shows which clocks this machine has, what they cost, and how good a JVM's user time is.
 */
@Command(
        name = "doctor",
        description = {
            "Reports which thread clocks this machine has, what each costs, and whether the user time of"
                    + " ThreadMXBean is slow, fast but wrong, or right: in each JDK here, or in one"
                    + " running JVM. Says what to do about each finding. Changes nothing.",
            ""
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock doctor              the machine, and all JDKs: 3 s for each",
            "  threadclock doctor 4711         the machine, and the JVM 4711",
            "  threadclock doctor --no-jdks    the machine only",
            "  threadclock doctor --json | jq .machine.tickLengthNanos.value",
            "",
            "doctor does not load anything into the JVM. It measures in a new JVM of the same",
            "JDK, and asks threadclock for its status if that is already loaded.",
            "Exit status: 0 all is well, 1 something is slow or wrong, or what you asked for",
            "could not be examined, 2 usage error."
        })
public final class DoctorCommand extends Subcommand {
    @Mixin
    private JvmOption.OrJdks named;

    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    @Option(names = "--jdk", paramLabel = "DIR",
            description = "Measure only this JDK or JRE; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--no-jdks", description = "Measure no JDK.")
    private boolean noJdks;

    @Override
    public Integer call() {
        if (!homes.isEmpty() && (noJdks || named.isNamed())) {
            throw wrong("--jdk cannot be combined with --no-jdks or a"
                    + " JVM");
        }
        // Opened before any measurement: it may not exist.
        DoctorReport report = look(named.open().orElse(null));
        if (json) {
            Terminal.stdout().stream().print(report.toJson());
        } else {
            new DoctorText(report, new Style(Terminal.stdout().coloured()), Terminal.stdout().width()).lines()
                    .forEach(Terminal.stdout()::println);
        }
        return report.well() ? 0 : 1;
    }

    private DoctorReport look(Target jvm) {
        String nativeProblem = SelfJar.nativeProblem();
        try (Progress progress = new Progress()) {
            progress.say("Examining the machine");
            Map<String, Finding> machine = MachineFindings.find(nativeProblem, HostLoad.now());
            if (nativeProblem.isEmpty()) {
                machine.put("virtualClock", VirtualTrial.findingOfMachine());
            }
            List<ClockCosts> clocks = nativeProblem.isEmpty() ? ClockCosts.measure() : List.of();
            Jdks found = null;
            List<JdkFindings> jdks = null;
            if (jvm == null && !noJdks) {
                progress.say("Looking for JDKs");
                found = Jdks.wanted(homes);
                jdks = JdkFindings.find(found, progress);
            } else if (jvm != null) {
                progress.say("Examining the JVM " + jvm.pid());
            }
            return DoctorReport.of(SelfJar.version(), machine, clocks, jdks, found,
                    jvm == null ? null : JvmFindings.find(jvm));
        }
    }
}
