// SPDX-License-Identifier: Apache-2.0
// The demo command: options, checks before the long part, outputs after it.
package dev.threadclock.cli.demo;

import dev.threadclock.cli.Failure;
import dev.threadclock.cli.Jdks;
import dev.threadclock.cli.OutputFile;
import dev.threadclock.cli.Progress;
import dev.threadclock.cli.SelfJar;
import dev.threadclock.cli.Style;
import dev.threadclock.cli.Terminal;
import dev.threadclock.internal.NativeLibrary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows, on every JDK of this machine, what reading a thread's user time costs and whether it is right. */
@Command(
        name = "demo",
        description = {
            "Measures ThreadMXBean.getCurrentThreadUserTime() on every JDK of this machine, as it is and with threadclock:"
                    + " what a read costs, and whether it is right. About 20 s a JDK.",
            ""
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "JDKs are looked for in JAVA_HOME, PATH, /usr/lib/jvm, /usr/java, /opt/java and",
            "~/.sdkman/candidates/java.",
            "Exit status: 0 all was measured, 1 something failed, 2 used wrongly."
        })
public final class DemoCommand implements Callable<Integer> {
    @Option(names = "--jdk", paramLabel = "DIR", description = "Measure this JDK or JRE only; may be given several times.")
    private List<Path> homes = new ArrayList<>();

    @Option(names = "--html", paramLabel = "FILE", description = "Where the page goes (default: demo.html).")
    private Path html;

    @Option(names = "--no-html", description = "Write no page.")
    private boolean noHtml;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as JSON; - is stdout, with nothing else there.")
    private Path json;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write the table for a README; - is stdout.")
    private Path markdown;

    @Option(names = "--quick", description = "Measure a few seconds only: orders of magnitude.")
    private boolean quick;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        checkUsage();
        List<OutputFile> files = new ArrayList<>();
        OutputFile htmlFile = file(files, noHtml ? null : html == null ? Path.of("demo.html") : html, "--html FILE, or leave it out with --no-html");
        OutputFile jsonFile = file(files, json, "--json FILE");
        OutputFile markdownFile = file(files, markdown, "--markdown FILE");
        files.forEach(OutputFile::check);
        DemoReport report = measure();

        boolean showTable = files.stream().noneMatch(OutputFile::isStdout);
        if (showTable) {
            new DemoTable(report, new Style(Terminal.stdout().coloured())).lines().forEach(Terminal.stdout()::println);
        }
        write(jsonFile, report.toJson());
        write(markdownFile, DemoMarkdown.render(report));
        if (htmlFile != null) {
            write(htmlFile, new DemoHtml(report).render());
        }
        return exitStatus(report, showTable);
    }

    private void checkUsage() {
        if (noHtml && html != null) {
            throw new ParameterException(spec.commandLine(), "--html and --no-html exclude each other");
        }
        long onStdout = Stream.of(json, markdown, html).filter(Path.of("-")::equals).count();
        if (onStdout > 1) {
            throw new ParameterException(spec.commandLine(), "only one of --json, --markdown and --html can go to stdout");
        }
    }

    private static OutputFile file(List<OutputFile> files, Path path, String option) {
        if (path == null) {
            return null;
        }
        OutputFile file = new OutputFile(path, option);
        files.add(file);
        return file;
    }

    private static void write(OutputFile file, String text) {
        if (file == null) {
            return;
        }
        file.write(text);
        if (!file.isStdout()) {
            Terminal.stderr().println("Wrote " + file.path());
        }
    }

    private DemoReport measure() {
        Path jar = SelfJar.path();
        loadNative();
        try (Progress progress = new Progress()) {
            progress.say("Looking for JDKs");
            return new DemoRun(jdks(), quick, jar).run(progress);
        }
    }

    private Jdks jdks() {
        Jdks jdks = homes.isEmpty() ? Jdks.find() : Jdks.of(homes);
        if (!homes.isEmpty() && !jdks.skipped().isEmpty()) {
            Jdks.Skipped wrong = jdks.skipped().get(0);
            throw new Failure("--jdk " + wrong.path() + " is no JDK that works: " + wrong.reason() + "; give the folder that has bin/java in it");
        }
        if (jdks.jdks().isEmpty()) {
            throw new Failure("no JDK found in the usual places; give one with --jdk DIR");
        }
        return jdks;
    }

    private static void loadNative() {
        try {
            NativeLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new Failure("the native library does not load: " + e.getMessage());
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
            failed.forEach(jdk -> Terminal.stderr().println("threadclock demo: " + jdk.label() + ": " + jdk.failure()));
        }
        return 1;
    }
}
