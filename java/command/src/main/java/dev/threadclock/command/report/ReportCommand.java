// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.interval.Timeline;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The report command: shows the CPU times in a Flight Recorder file, as text or as a page. */
@Command(
        name = "report",
        description = {
            "Shows the CPU times of threads in a Flight Recorder file, by pool and thread: as text, or as a"
                    + " page with charts.",
            ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock report app.jfr               text",
            "  threadclock report app.jfr -o app.html   a page for the browser",
            "",
            "The file comes from 'threadclock record', or from any recording of a JVM that",
            "was started with -agentpath:libthreadclock.so.",
            "Exit status: 0 ok, 1 the file cannot be read or has no CPU times, 2 usage error."
        })
public final class ReportCommand extends Subcommand {
    private static final int WIDTH_OF_FILES = 120;

    @Parameters(index = "0", paramLabel = "FILE.jfr", description = "The recording.")
    private Path file;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE.html",
            description = "Write a page to this file; - is stdout.")
    private Path page;

    @Option(names = "--text", description = "Print text in addition to writing the page.")
    private boolean text;

    @Override
    public Integer call() {
        SelfJar.requireModule("jdk.jfr");
        SelfJar.loadNative(); // which knows the pools of threads
        if (page != null && !page.toString().matches("-|(?i).*\\.html?")) {
            throw wrong("-o writes a page, and " + page + " does not end in .html; 'threadclock top -n N'"
                    + " prints CSV and JSON");
        }
        OutputFile output = page == null ? null : OutputFile.checked(page, "-o FILE.html");
        JfrRecording recording = JfrRecording.read(file);
        Timeline timeline = recording.timeline();
        if (output != null) {
            output.write(new RecordingPage(recording.subject(), timeline).toHtml());
        }
        if (output == null || text) {
            int width = Terminal.stdout().watched() ? Terminal.stdout().width() : WIDTH_OF_FILES;
            new RecordingText(recording.subject(), timeline, width).lines()
                    .forEach(Terminal.stdout()::println);
        }
        return 0;
    }
}
