// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.page.ReportFiles;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The demo command: shows, for every JDK of this machine, what reading a thread's user time costs and whether
 * it is right. Options, checks before the measurement, outputs after it.
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
            "  threadclock demo --jdk /opt/jdk-21 --html jdk-21.html",
            "  threadclock demo --no-html --markdown -",
            "",
            "JDKs are looked for in JAVA_HOME, PATH, /usr/lib/jvm, /usr/java, /opt/java and",
            "~/.sdkman/candidates/java.",
            "Exit status: 0 all was measured, 1 something failed, 2 usage error."
        })
public final class DemoCommand implements Subcommand {
    @Option(names = "--jdk", paramLabel = "DIR",
            description = "Measure only this JDK or JRE; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--quick", description = "Measure for a few seconds only: orders of magnitude.")
    private boolean quick;

    @Mixin
    private ReportFiles files;

    @Override
    public int place() {
        return 10;
    }

    @Override
    public Integer call() {
        files.check();
        DemoReport report = measure();
        boolean showTable = !files.goToStdout();
        if (showTable) {
            new DemoTable(report, new Style(Terminal.stdout().coloured())).lines()
                    .forEach(Terminal.stdout()::println);
        }
        files.write(() -> new DemoHtml(report).render(), report::toJson, () -> DemoMarkdown.render(report));
        return exitStatus(report, showTable);
    }

    private DemoReport measure() {
        Path jar = SelfJar.path();
        SelfJar.loadNative();
        try (Progress progress = new Progress()) {
            progress.say("Looking for JDKs");
            return new DemoRun(Jdks.needed(homes), quick, jar).run(progress);
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
