// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.internal.Native;
import dev.threadclock.lab.experiment.Experiments;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.command.machine.MachineFindings;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.lab.report.LabHtml;
import dev.threadclock.lab.report.LabMarkdown;
import dev.threadclock.lab.report.LabReport;
import dev.threadclock.lab.report.LabText;
import dev.threadclock.command.page.ReportFiles;
import dev.threadclock.lab.report.Result;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.Shutdown;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The lab command: tests published claims, and ours, on this machine. This class has the options, the checks
 * before the measurement and the reports after it.
 */
@Command(
        name = "lab",
        description = {
            "Runs the experiments behind threadclock on this machine and writes one report: each published"
                    + " figure, the figure here, and a verdict.",
            ""
        },
        mixinStandardHelpOptions = true,
        subcommands = LabDiffCommand.class,
        footer = {
            "",
            "Examples:",
            "  threadclock lab --quick            all rows in under 10 minutes",
            "  threadclock lab --only 6 --only 7  two of them, by row or by name",
            "  threadclock lab diff A.json B.json compares two runs",
            "",
            "After an interruption, the same command continues where it stopped.",
            "It does not need root. The report says where root would show more.",
            "Exit status: 0 all ran, whatever they found; 1 something failed; 2 usage error."
        })
public final class LabCommand implements Subcommand {
    @Option(names = "--list",
            description = "List the experiments, their rows and how long they take; run none.")
    private boolean list;

    @Option(names = "--only", paramLabel = "NAME|ROW",
            description = "Run only this experiment; may be given several times.")
    private List<String> only = new ArrayList<>();

    @Option(names = "--quick", description = "Take short measurements, under 10 minutes in all: orders of"
            + " magnitude only.")
    private boolean quick;

    @Option(names = "--fresh", description = "Start again instead of continuing an interrupted run.")
    private boolean fresh;

    @Option(names = "--jdk", paramLabel = "DIR",
            description = "Use only this JDK; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--text", description = "Print all figures, not only the verdicts.")
    private boolean text;

    // For the launcher of a checkout, which prepares the benchmarks before this program starts.
    @Option(names = "--yes",
            description = "In a checkout: install the packages that experiments need with apt-get. Without"
                    + " this option, lab lists them and asks first; if it cannot ask, it fails.")
    private boolean install;

    @Option(names = "--no-install", description = "In a checkout: install nothing and run without these"
            + " packages.")
    private boolean installNothing;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ReportFiles files;

    @Override
    public int place() {
        return 50;
    }

    @Override
    public Integer call() {
        if (install && installNothing) {
            throw new ParameterException(spec.commandLine(), "--yes and --no-install contradict each other");
        }
        List<Experiment> chosen = chosen();
        if (list) {
            ExperimentList.lines(chosen, lab()).forEach(Terminal.stdout()::println);
            return 0;
        }
        files.check();
        SelfJar.loadNative();
        try (Progress progress = new Progress()) {
            progress.say("Looking for JDKs");
            Lab lab = lab();
            try (RunFolder run = RunFolder.open(RunKey.parent().resolve(key(lab, chosen)))) {
                LabReport report = measure(lab, chosen, run, progress);
                progress.close();
                return report(report, run);
            }
        }
    }

    private int report(LabReport report, RunFolder run) {
        if (!files.goToStdout()) {
            new LabText(report, new Style(Terminal.stdout().coloured()), text).lines()
                    .forEach(Terminal.stdout()::println);
        }
        files.write(() -> new LabHtml(report).render(), report::toJson, () -> LabMarkdown.render(report));
        return ended(report, run);
    }

    private LabReport measure(Lab lab, List<Experiment> chosen, RunFolder run, Progress progress) {
        if (fresh) {
            run.forget();
        }
        Runnable goOn = () -> Terminal.stderr()
                .println("threadclock lab: stopped; finished experiments are kept in " + run.path()
                        + "; the same command continues with the others");
        Shutdown.add(goOn);
        try {
            progress.say("Examining the machine");
            Map<String, Finding> facts = MachineFindings.find("");
            Machine machine = Machine.describe((int) Math.round(1e9 / Native.tickLengthNanos()));
            List<Result> results = new LabRun(chosen, run, lab, progress).run();
            return new LabReport(Version.current(), results.get(0).begun(), quick, isRoot(),
                    chosen.size() == Experiments.all().size(),
                    machine, facts, lab.jdks().stream().map(LabReport.Installation::of).toList(), results);
        } finally {
            Shutdown.remove(goOn);
        }
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            return false;
        }
    }

    private List<Experiment> chosen() {
        try {
            return Selection.of(Experiments.all(), only);
        } catch (Selection.Unknown e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private Lab lab() {
        Jdks jdks = Jdks.needed(homes);
        Path jar = SelfJar.path();
        Optional<Path> programs = Optional.ofNullable(System.getProperty("threadclock.lab")).map(Path::of);
        return new Lab(quick, jdks.jdks(), jar, programs, Path.of(System.getProperty("java.io.tmpdir")),
                step -> {
                });
    }

    private static String key(Lab lab, List<Experiment> chosen) {
        try {
            return RunKey.of(lab, chosen);
        } catch (IOException e) {
            throw new Failure("cannot read " + lab.jar() + ": " + e.getMessage());
        }
    }

    /**
     * Keeps the folder if experiments failed, so that the next start retries them. Otherwise deletes it,
     * because the report has everything.
     */
    private static int ended(LabReport report, RunFolder run) {
        int failed = report.with(Verdict.FAILED).size();
        if (failed == 0) {
            run.forget();
            return 0;
        }
        Terminal.stderr().println("threadclock lab: " + failed + " of " + report.results().size()
                + " experiments failed; the report says why. The same command tries "
                + (failed == 1 ? "it" : "them") + " again");
        return 1;
    }
}
