// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.attach.AttachException;
import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.attach.internal.JvmRecording;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.OutputFile;
import dev.threadclock.command.terminal.Progress;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.record.Recorder.StopRequest;
import dev.threadclock.command.sample.Sampling;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The record command: writes the CPU times of all threads of a JVM over time to a file. */
@Command(
        name = "record",
        description = {
            "Records the user, system and total CPU time of every thread of a running JVM, interval by"
                    + " interval: for Flight Recorder's tools,"
                    + " for a spreadsheet, or as a page with charts.",
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
            "  threadclock record 4711 -d 10m -i 100ms -o app.csv",
            "                            ten times a second",
            "  threadclock record 4711 -o app.jfr --jvm-events",
            "                            and the JVM's own events in app.jvm.jfr",
            "",
            "Virtual threads are recorded by group in .jfr, .csv and .json, once",
            "'threadclock attach PID virtual=on' makes the JVM account for them.",
            "The file's ending selects the format: .jfr, .csv, .json or .html. After Ctrl-C",
            "or the end of the JVM, the recording so far is written. If the recorder is",
            "killed, the recording stays in app.partial-NUMBER.jfr (.csv, .json) beside the",
            "file.",
            "Exit status: 0 recorded, 1 could not record, 2 usage error."
        })
public final class RecordCommand implements Callable<Integer> {
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

    @Mixin
    private JvmOption.Chosen jvm;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", required = true,
            description = "The file to write: .jfr, .csv, .json or .html.")
    private Path file;

    @Option(names = {"-d", "--duration"}, paramLabel = "TIME", defaultValue = "0", converter = TimeSpan.class,
            description = "Stop after this time: 60s, 5m, 1h. By default, or with 0: record until Ctrl-C.")
    private Duration duration;

    @Option(names = {"-i", "--interval"}, paramLabel = "TIME", defaultValue = "1s",
            converter = TimeSpan.class,
            description = "Length of an interval, 100ms to 1h (default: ${DEFAULT-VALUE}).")
    private Duration interval;

    @Option(names = "--jvm-events", paramLabel = "SETTINGS", arity = "0..1", fallbackValue = "default",
            description = "Record the JVM's own events as well, in app.jvm.jfr beside app.jfr."
                    + " SETTINGS is a .jfc file of the JVM, default or profile.")
    private String jvmEvents;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Format format = Format.of(file)
                .orElseThrow(() -> wrong("cannot tell the format from the name " + file + "; it must end in "
                        + Format.endings()));
        if (interval.compareTo(SHORTEST_INTERVAL) < 0 || interval.compareTo(LONGEST_INTERVAL) > 0) {
            throw wrong("--interval takes 100ms to 1h");
        }
        if (!duration.isZero() && duration.compareTo(interval) < 0) {
            throw wrong(
                    "--duration is shorter than one interval; give a longer one, or a shorter --interval");
        }
        if (jvmEvents != null
                && (format != Format.JFR || !JvmRecording.SETTINGS.matcher(jvmEvents).matches())) {
            throw wrong(format == Format.JFR ? "--jvm-events takes default, profile or a file"
                    : "--jvm-events needs a .jfr file");
        }
        if (format == Format.JFR || format == Format.HTML) { // a page is made from a .jfr file
            SelfJar.requireModule("jdk.jfr");
        }
        OutputFile output = OutputFile.checked(file, "-o FILE");
        OutputFile eventsOutput = jvmEvents == null ? null // "app.jvm.jfr" for "app.jfr"
                : OutputFile.checked(file.resolveSibling(
                        file.getFileName().toString().replaceFirst("(?i)\\.jfr$", ".jvm.jfr")), "-o FILE");
        try (Sampling sampling = Sampling.open(jvm, interval);
                StopRequest stop = new StopRequest();
                JvmRecording events = jvmEvents == null ? null : jvm.open().record(jvmEvents)) {
            record(sampling, format, output, stop);
            if (events != null) {
                try {
                    write(events, eventsOutput);
                } catch (AttachException e) {
                    throw new Failure("the JVM's own events are lost: " + e.getMessage());
                }
            }
        }
        return 0;
    }

    private static void write(JvmRecording events, OutputFile output) throws IOException {
        Path scratch = Files.createTempFile("threadclock-", ".jfr");
        try {
            long most = Files.getFileStore(scratch).getUsableSpace() / 2;
            try (OutputStream out = new Limited(Files.newOutputStream(scratch), most)) {
                events.stopInto(out);
            }
            output.write(scratch);
            Terminal.stdout().println("the JVM's own events are in " + output.path());
        } finally {
            Files.deleteIfExists(scratch);
        }
    }

    /** The JVM decides how long its own recording is, and could fill the disk with it. */
    private static final class Limited extends FilterOutputStream {
        private long left;

        Limited(OutputStream out, long most) {
            super(out);
            left = most;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            left -= length;
            if (left < 0) {
                throw new Failure(
                        "the JVM's own recording would take more than half of the room that is left in"
                                + " the folder for temporary files; make room there");
            }
            out.write(bytes, offset, length);
        }
    }

    private void record(Sampling sampling, Format format, OutputFile output, StopRequest stop)
            throws IOException {
        Path scratch = output.partial(format.ending());
        Path soFar = format.soFar(scratch);
        boolean keep = false;
        try {
            Format.Writer writer = format.open(scratch, sampling.subject());
            Recorder recorder;
            try (Progress progress = new Progress()) {
                progress.say("Recording " + sampling.label() + "; Ctrl-C ends it");
                recorder = new Recorder(sampling, writer,
                        duration.isZero() ? Long.MAX_VALUE : duration.toNanos(),
                        sofar -> tell(progress, sofar));
                recorder.run(stop);
            }
            String stopped = recorder.failure()
                    .map(why -> "the recording stopped: " + why.getMessage() + "; ").orElse("");
            if (recorder.recordedNanos() == 0) {
                throw nothingRecorded(recorder, stopped, output);
            }
            keep = true;
            finish(writer, soFar, stopped);
            save(scratch, output);
            keep = false;
            String what = Figures.seconds(recorder.recordedNanos()) + " of " + sampling.label();
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
                Files.deleteIfExists(soFar);
            }
        }
    }

    private static Failure nothingRecorded(Recorder recorder, String stopped, OutputFile output) {
        if (!stopped.isEmpty()) {
            return new Failure(stopped + "nothing was recorded before that");
        }
        String why = recorder.ended() ? "the JVM has ended" : "stopped before the first interval was over";
        return new Failure("nothing recorded: " + why + "; " + output.path() + " is not written");
    }

    private static void finish(Format.Writer writer, Path soFar, String stopped) {
        try {
            writer.finish();
        } catch (IOException e) {
            throw new Failure(stopped + "the recording cannot be completed: " + e.getMessage()
                    + "; the part recorded so far is in " + soFar
                    + "; make room in that folder and record again, or try 'threadclock report' on a .jfr"
                    + " file");
        }
    }

    private static void save(Path scratch, OutputFile output) {
        try {
            output.write(scratch);
        } catch (Failure e) {
            throw new Failure(e.getMessage() + "; the recording is kept in " + scratch);
        }
    }

    private void tell(Progress progress, Recorder recorder) {
        if (Terminal.stderr().watched()) {
            progress.say("Recording: " + Figures.seconds(recorder.recordedNanos())
                    + (duration.isZero() ? "" : " of " + Figures.seconds(duration.toNanos()))
                    + "; Ctrl-C ends it and keeps what was recorded");
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
