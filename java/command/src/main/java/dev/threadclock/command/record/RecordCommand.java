// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.attach.internal.JvmRecording;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.terminal.Figures;
import dev.threadclock.command.record.Recorder.StopRequest;
import dev.threadclock.command.report.RecordingPage;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The record command: writes the CPU times of all threads of a JVM over time to a file. */
@Command(
        name = "record",
        description = {
            "Records the user, system and total CPU time of every thread of a running JVM, interval by"
                    + " interval: for Flight Recorder's tools, or as a page with charts.",
            ""
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock record 4711 -d 60s -o app.html",
            "                            a page for the browser",
            "  threadclock record app.jar -o app.jfr",
            "                            until Ctrl-C; for JDK Mission Control, jfr print,",
            "                            and report",
            "  threadclock record 4711 -d 10m -i 100ms -o app.jfr",
            "                            ten times a second",
            "  threadclock record 4711 -o app.jfr --jvm-events",
            "                            and the JVM's own events in app.jvm.jfr",
            "",
            "Virtual threads are recorded by group, once 'threadclock attach PID virtual=on'",
            "makes the JVM account for them. The file's ending selects the format: .jfr or",
            ".html. After Ctrl-C or the end of the JVM, the recording so far is written. If",
            "the recorder is killed, it stays in app.partial-NUMBER.jfr beside the file, for",
            "'threadclock report'. For programs: 'threadclock top -n N --csv', or --json.",
            "Exit status: 0 recorded, 1 could not record, 2 usage error."
        })
public final class RecordCommand extends Subcommand {
    @Mixin
    private JvmOption.Chosen jvm;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", required = true,
            description = "The file to write: .jfr or .html.")
    private Path file;

    @Option(names = {"-d", "--duration"}, paramLabel = "TIME", defaultValue = "0", converter = TimeSpan.class,
            description = "Stop after this time: 60s, 5m, 1h. By default, or with 0: record until Ctrl-C.")
    private Duration duration;

    @Option(names = {"-i", "--interval"}, paramLabel = "TIME", defaultValue = "1s",
            converter = TimeSpan.BetweenSamples.class,
            description = "Length of an interval, 100ms to 1h (default: ${DEFAULT-VALUE}).")
    private Duration interval;

    @Option(names = "--jvm-events", paramLabel = "SETTINGS", arity = "0..1", fallbackValue = "default",
            description = "Record the JVM's own events as well, in app.jvm.jfr beside app.jfr."
                    + " SETTINGS is a .jfc file of the JVM, default or profile.")
    private String jvmEvents;

    @Override
    public Integer call() throws IOException {
        boolean page = endsWith(".html");
        if (!page && !endsWith(".jfr")) {
            throw wrong("-o takes a file that ends in .jfr or .html, not " + file + "; for CSV or JSON:"
                    + " threadclock top -n N --csv, or --json");
        }
        if (!duration.isZero() && duration.compareTo(interval) < 0) {
            throw wrong(
                    "--duration is shorter than one interval; give a longer one, or a shorter --interval");
        }
        if (jvmEvents != null && (page || !JvmRecording.SETTINGS.matcher(jvmEvents).matches())) {
            throw wrong(page ? "--jvm-events needs a .jfr file"
                    : "--jvm-events takes default, profile or a file");
        }
        SelfJar.requireModule("jdk.jfr");
        OutputFile output = OutputFile.checked(file, "-o FILE");
        OutputFile eventsOutput = jvmEvents == null ? null // "app.jvm.jfr" for "app.jfr"
                : OutputFile.checked(file.resolveSibling(
                        file.getFileName().toString().replaceFirst("(?i)\\.jfr$", ".jvm.jfr")), "-o FILE");
        try (Sampling sampling = Sampling.open(jvm, interval);
                StopRequest stop = new StopRequest();
                JvmEvents own = jvmEvents == null ? null : new JvmEvents(jvm, jvmEvents, eventsOutput)) {
            record(sampling, own, page, output, stop);
        }
        return 0;
    }

    private boolean endsWith(String ending) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(ending);
    }

    /** own: null if there is none; under load, it may have begun long after the sampling. */
    private void record(Sampling sampling, JvmEvents own, boolean page, OutputFile output, StopRequest stop)
            throws IOException {
        long fromMillis = own == null ? 0 : System.currentTimeMillis();
        Path scratch = output.partial(".jfr");
        Timeline timeline = new Timeline();
        boolean keep = false;
        try {
            JfrWriter jfr = new JfrWriter(scratch, sampling.subject());
            Recorder recorder = recorded(sampling, fromMillis, stop, interval -> {
                jfr.write(interval);
                if (page) {
                    timeline.add(interval);
                }
            });
            String stopped = recorder.failure().or(() -> closed(jfr))
                    .map(why -> "the recording stopped: " + why.getMessage() + remedy(why) + "; ").orElse("");
            if (recorder.recordedNanos() == 0) {
                throw nothingRecorded(recorder, stopped, output);
            }
            keep = true;
            if (own != null) {
                own.replaceOlder();
            }
            String what = Figures.seconds(recorder.recordedNanos()) + " of " + sampling.label();
            save(page ? new RecordingPage(sampling.subject(), timeline) : null, scratch, output, stopped);
            keep = false;
            if (!stopped.isEmpty()) {
                throw new Failure(stopped + "what was recorded before, " + what + ", is in " + output.path());
            }
            Terminal.stdout()
                    .println("recorded " + what + (recorder.ended() ? ", until its end," : "") + " in "
                            + output.path()
                            + (recorder.late() ? "; the next sample did not come in time" : ""));
        } finally {
            if (!keep) {
                Files.deleteIfExists(scratch);
            }
        }
    }

    private static String remedy(Throwable failure) {
        return failure instanceof OutOfMemoryError
                ? " (try again with THREADCLOCK_JAVA_OPTIONS=-Xmx2g in the environment)"
                : String.valueOf(failure.getMessage()).matches(".*(No space left|Disk quota exceeded).*")
                        ? " (make room there, or name a file on another disk with -o)"
                        : "";
    }

    private Recorder recorded(Sampling sampling, long fromMillis, StopRequest stop, Recorder.Writer writer) {
        try (Progress progress = new Progress()) {
            Recorder recorder = new Recorder(sampling, writer, fromMillis,
                    duration.isZero() ? Long.MAX_VALUE : duration.toNanos(),
                    sofar -> tell(progress, sofar, sampling.label()));
            recorder.run(stop);
            return recorder;
        }
    }

    /** Some file systems report only now that a file has no room. */
    private static Optional<Throwable> closed(JfrWriter writer) {
        try {
            writer.close();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    private static Failure nothingRecorded(Recorder recorder, String stopped, OutputFile output) {
        if (!stopped.isEmpty()) {
            return new Failure(stopped + "nothing was recorded before that");
        }
        String why = recorder.ended() ? "the JVM has ended" : "stopped before the first interval was over";
        return new Failure("nothing recorded: " + why + "; " + output.path() + " is not written");
    }

    /** page: null if the file takes the recording itself. One message, whatever has failed before. */
    private static void save(RecordingPage page, Path scratch, OutputFile output, String stopped) {
        try {
            if (page != null) {
                output.write(page.toHtml());
            } else {
                output.write(scratch);
            }
        } catch (Failure e) {
            throw new Failure((stopped.isEmpty() ? e.getMessage() + "; " : stopped) + "the recording"
                    + (stopped.isEmpty() ? "" : " up to there") + " is kept in " + scratch
                    + (page == null ? "" : ": 'threadclock report' makes a page of it"));
        }
    }

    private void tell(Progress progress, Recorder recorder, String label) {
        if (recorder.recordedNanos() == 0) {
            progress.say("Recording " + label + "; Ctrl-C ends it");
        } else if (Terminal.stderr().watched()) {
            progress.say("Recording: " + Figures.seconds(recorder.recordedNanos())
                    + (duration.isZero() ? "" : " of " + Figures.seconds(duration.toNanos()))
                    + "; Ctrl-C ends it and keeps what was recorded");
        }
    }
}
