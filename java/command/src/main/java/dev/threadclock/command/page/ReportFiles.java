// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.page;

import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options for report files, a mixin for commands that take long to measure and write at the end. The page
 * goes to COMMAND.html by default.
 */
public final class ReportFiles {
    @Option(names = "--html", paramLabel = "FILE",
            description = "Write the page to this file (default: ${COMMAND-NAME}.html).")
    private Path html;

    @Option(names = "--no-html", description = "Write no page.")
    private boolean noHtml;

    @Option(names = "--json", paramLabel = "FILE",
            description = "Write all figures as JSON; - is stdout, to which nothing else is then written.")
    private Path json;

    @Option(names = "--markdown", paramLabel = "FILE",
            description = "Write the table as Markdown; - is stdout.")
    private Path markdown;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private OutputFile htmlFile;
    private OutputFile jsonFile;
    private OutputFile markdownFile;

    /** Refuses files that cannot be written. To be called before the measurement. */
    public void check() {
        if (noHtml && html != null) {
            throw new ParameterException(command.commandLine(), "--html and --no-html exclude each other");
        }
        if (Stream.of(json, markdown, html).filter(Path.of("-")::equals).count() > 1) {
            throw new ParameterException(command.commandLine(),
                    "only one of --json, --markdown and --html can go to stdout");
        }
        Path page = html == null ? Path.of(command.name() + ".html") : html;
        htmlFile = file(noHtml ? null : page, "--html FILE, or leave it out with --no-html");
        jsonFile = file(json, "--json FILE");
        markdownFile = file(markdown, "--markdown FILE");
        files().forEach(OutputFile::check);
    }

    /** Whether one of the files is stdout, so that nothing else may be printed there. */
    public boolean goToStdout() {
        return files().stream().anyMatch(OutputFile::isStdout);
    }

    public void write(Supplier<String> toHtml, Supplier<String> toJson, Supplier<String> toMarkdown) {
        write(jsonFile, toJson);
        write(markdownFile, toMarkdown);
        write(htmlFile, toHtml);
    }

    private List<OutputFile> files() {
        return Stream.of(htmlFile, jsonFile, markdownFile).filter(Objects::nonNull).toList();
    }

    private static OutputFile file(Path path, String option) {
        return path == null ? null : new OutputFile(path, option);
    }

    private static void write(OutputFile file, Supplier<String> text) {
        if (file == null) {
            return;
        }
        file.write(text.get());
        if (!file.isStdout()) {
            Terminal.stderr().println("Wrote " + file.path());
        }
    }
}
