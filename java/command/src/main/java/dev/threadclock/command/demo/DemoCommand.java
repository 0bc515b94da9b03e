// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.demo.DemoReport.JdkResult;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.measure.MeasuredJvm;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The demo command: shows, for every JDK of this machine, what reading a thread's user time costs and whether
 * it is right, without and with threadclock.
 */
@Command(
        name = "demo",
        description = {
            "Measures ThreadMXBean.getCurrentThreadUserTime() on every JDK of this machine, as it is and"
                    + " with threadclock: what a read costs, and whether it is right. About 20 s per JDK.",
            ""
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock demo --quick",
            "  threadclock demo --jdk /opt/jdk-21 --json jdk-21.json",
            "  threadclock demo --markdown -",
            "",
            "JDKs are looked for in JAVA_HOME, PATH, /usr/lib/jvm, /usr/java, /opt/java and",
            "~/.sdkman/candidates/java, and where ci/jdks of a checkout puts them.",
            "Exit status: 0 all was measured, 1 something failed, 2 usage error."
        })
public final class DemoCommand extends Subcommand {
    @Option(names = "--jdk", paramLabel = "DIR",
            description = "Measure only this JDK or JRE; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--quick", description = "Measure for a few seconds only: orders of magnitude.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE",
            description = "Write all figures as JSON; - is stdout, to which nothing else is then written.")
    private Path json;

    @Option(names = "--markdown", paramLabel = "FILE",
            description = "Write the table as Markdown; - is stdout.")
    private Path markdown;

    @Override
    public Integer call() {
        Map<OutputFile, Function<DemoReport, String>> files = files();
        SelfJar.loadNative();
        DemoReport report;
        try (Progress progress = new Progress()) {
            progress.say("Looking for JDKs");
            report = measure(Jdks.needed(homes), progress);
        }
        boolean showTable = files.keySet().stream().noneMatch(OutputFile::isStdout);
        if (showTable) {
            new DemoTable(report, new Style(Terminal.stdout().coloured())).lines()
                    .forEach(Terminal.stdout()::println);
        }
        files.forEach((file, content) -> {
            file.write(content.apply(report));
            if (!file.isStdout()) {
                Terminal.stderr().println("Wrote " + file.path());
            }
        });
        return exitStatus(report, showTable);
    }

    /** The files to write, with the content of each. */
    private Map<OutputFile, Function<DemoReport, String>> files() {
        if (Stream.of(json, markdown).allMatch(Path.of("-")::equals)) {
            throw wrong("only one of --json and --markdown can go to stdout");
        }
        Map<OutputFile, Function<DemoReport, String>> files = new LinkedHashMap<>();
        if (json != null) {
            files.put(OutputFile.checked(json, "--json FILE"), DemoReport::toJson);
        }
        if (markdown != null) {
            files.put(OutputFile.checked(markdown, "--markdown FILE"), DemoMarkdown::render);
        }
        return files;
    }

    /** Measures every JDK, one child after the other. */
    private DemoReport measure(Jdks jdks, Progress progress) {
        String begun = OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
        MeasuredJvm.Plan plan = quick ? MeasuredJvm.Plan.QUICK : MeasuredJvm.Plan.FULL;
        Machine machine = null;
        List<JdkResult> results = new ArrayList<>();
        for (Jdk jdk : jdks.jdks()) {
            String count = "[" + (results.size() + 1) + "/" + jdks.jdks().size() + "] " + jdk.label();
            progress.say(count + ": finding the timer ticks");
            // Anew for each JDK, because the clock is being disciplined meanwhile.
            TickClock ticks = TickClock.learn();
            machine = machine == null ? Machine.describe(ticks.hertz()) : machine;
            results.add(measure(jdk, new MeasuredJvm(plan, ticks), count, progress));
        }
        return new DemoReport(SelfJar.version(), begun, quick, plan, machine, results, jdks.skipped());
    }

    private static JdkResult measure(Jdk jdk, MeasuredJvm child, String count, Progress progress) {
        Measurement before = null;
        try {
            before = child.run(jdk, false, step -> progress.say(count + " as it is: " + step));
            Measurement with = child.run(jdk, true,
                    step -> progress.say(count + " with threadclock: " + step));
            return new JdkResult(jdk, null, before, with);
        } catch (Failure e) {
            String when = before == null ? "as it is: " : "with threadclock: ";
            return new JdkResult(jdk, when + e.getMessage(), before, null);
        }
    }

    private static int exitStatus(DemoReport report, boolean tableShown) {
        List<JdkResult> failed = report.failed();
        if (failed.isEmpty()) {
            return 0;
        }
        if (tableShown) {
            Terminal.stderr().println("threadclock demo: " + failed.size() + " of " + report.jdks().size()
                    + " JDKs could not be measured: the table says why");
        } else {
            failed.forEach(jdk -> Terminal.stderr()
                    .println("threadclock demo: " + jdk.label() + ": " + jdk.failure()));
        }
        return 1;
    }
}
