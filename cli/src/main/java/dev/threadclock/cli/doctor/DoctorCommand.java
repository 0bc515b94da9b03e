// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.doctor;

import dev.threadclock.attach.JvmLook;
import dev.threadclock.attach.JvmName;
import dev.threadclock.attach.jdk.Jdks;
import dev.threadclock.internal.NativeLibrary;
import dev.threadclock.lab.SelfJar;
import dev.threadclock.lab.machine.Finding;
import dev.threadclock.lab.machine.MachineFindings;
import dev.threadclock.terminal.Progress;
import dev.threadclock.terminal.Style;
import dev.threadclock.terminal.Subcommand;
import dev.threadclock.terminal.Terminal;
import dev.threadclock.terminal.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The doctor command: which clocks exist on this machine and what they cost, and how good a JVM's user time
 * is.
 */
@Command(
        name = "doctor",
        description = {
            "Tells which clocks of a thread exist on this machine and what each costs, and whether the user time of ThreadMXBean is slow,"
                    + " fast but wrong, or right: in every JDK here, or in one JVM. Says of each finding what to do. Changes nothing.",
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
            "The JVM itself is only looked at: its JDK is tried in a JVM of its own. Only a",
            "threadclock that is in it already is asked for its status.",
            "Exit status: 0 all is well, 1 something is slow or wrong, or could not be looked",
            "at, 2 used wrongly."
        })
public final class DoctorCommand implements Subcommand {
    private static final int SECONDS = 10;

    @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
            description = JvmName.DESCRIPTION + " Without it: the JDKs of this machine.")
    private String jvm;

    @Option(names = {"-p", "--pid"}, paramLabel = "JVM", description = "The same as JVM without -p.")
    private String option;

    @Option(names = "--json", description = "Print all as JSON.")
    private boolean json;

    @Option(names = "--jdk", paramLabel = "DIR", description = "Try this JDK or JRE only; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--no-jdks", description = "Try no JDK.")
    private boolean noJdks;

    @Spec
    private CommandSpec spec;

    @Override
    public int place() {
        return 20;
    }

    @Override
    public Integer call() {
        if (jvm != null && option != null) {
            throw new ParameterException(spec.commandLine(), "the JVM is given twice: with -p and without");
        }
        String named = option != null ? option : jvm;
        int number = named == null ? 0 : JvmName.pid(named, spec);
        if (!homes.isEmpty() && (noJdks || number > 0)) {
            throw new ParameterException(spec.commandLine(), "--jdk goes with neither --no-jdks nor a JVM");
        }
        DoctorReport report;
        if (number > 0) {
            // Before any measurement: an invalid number should be reported at once.
            try (JvmLook jvm = JvmLook.at(number, SECONDS)) {
                report = look(jvm);
            }
        } else {
            report = look(null);
        }
        if (json) {
            Terminal.stdout().stream().print(report.toJson());
        } else {
            new DoctorText(report, new Style(Terminal.stdout().coloured())).lines().forEach(Terminal.stdout()::println);
        }
        return report.well() ? 0 : 1;
    }

    private DoctorReport look(JvmLook jvm) {
        Path jar = SelfJar.path();
        String nativeProblem = nativeProblem();
        try (Progress progress = new Progress()) {
            progress.say("Looking at the machine");
            Map<String, Finding> machine = MachineFindings.find(nativeProblem);
            List<ClockCosts> clocks = nativeProblem.isEmpty() ? ClockCosts.measure() : List.of();
            Jdks found = null;
            List<JdkFindings> jdks = null;
            if (jvm == null && !noJdks) {
                progress.say("Looking for JDKs");
                found = Jdks.wanted(homes);
                jdks = JdkFindings.find(found, jar, progress);
            } else if (jvm != null) {
                progress.say("Looking at the JVM " + jvm.pid());
            }
            return DoctorReport.of(Version.current(), machine, clocks, jdks, found, jvm == null ? null : JvmFindings.find(jvm, jar));
        }
    }

    private static String nativeProblem() {
        try {
            NativeLibrary.load();
            return "";
        } catch (UnsatisfiedLinkError e) {
            return String.valueOf(e.getMessage());
        }
    }
}
