// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import com.google.gson.JsonObject;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.agent.jfr.CpuTimeEvent;
import dev.threadclock.agent.jfr.ProcessCpuTime;
import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.agent.jfr.VirtualThreadsCpuTime;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.report.RecordedJvm;
import dev.threadclock.command.report.RecordingPage;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The formats of a recording, determined by the file's extension, and how each is written. */
enum Format {
    JFR, CSV, JSON, HTML;

    static Optional<Format> of(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return Arrays.stream(values()).filter(format -> name.endsWith(format.ending())).findFirst();
    }

    String ending() {
        return "." + name().toLowerCase(Locale.ROOT);
    }

    /** ".jfr, .csv, .json or .html". */
    static String endings() {
        return Arrays.stream(values()).map(Format::ending).collect(Collectors.joining(", "))
                .replaceFirst(", (?=\\.html)", " or ");
    }

    /** Where the intervals are stored while a recording to this file is in progress. */
    Path soFar(Path file) {
        return this == HTML ? HtmlWriter.soFar(file) : file;
    }

    /** Starts writing to an existing, empty file. */
    Writer open(Path file, Subject subject) throws IOException {
        return switch (this) {
            case JFR -> new JfrWriter(file, subject);
            case CSV -> new CsvWriter(file);
            case JSON -> new JsonWriter(file, subject);
            case HTML -> new HtmlWriter(file, subject);
        };
    }

    /** Writes intervals in one of the formats. */
    interface Writer {
        /** Afterwards everything so far is in a readable file, even if this process is killed. */
        void write(Interval interval) throws IOException;

        /** Completes the file. Must be the last call. */
        void finish() throws IOException;
    }

    /**
     * As a recording for Flight Recorder's tools, with the same events that the agent records inside the JVM.
     * The target JVM need not have Flight Recorder.
     */
    private static final class JfrWriter implements Writer {
        private record Known(long key, String name) {}

        private final Path path;
        private final Subject subject;
        private final Map<Long, Known> threads = new HashMap<>(); // by serial
        private JfrFile file;
        private long keys;

        JfrWriter(Path path, Subject subject) {
            this.path = path;
            this.subject = subject;
        }

        @Override
        public void write(Interval interval) throws IOException {
            if (file == null) {
                open(interval.endMillis() - interval.nanos() / 1_000_000);
            }
            for (Use use : interval.ran()) {
                ThreadCpuTime event = new ThreadCpuTime();
                event.javaThreadId = use.javaId();
                event.threadName = use.name();
                event.osThreadId = use.tid();
                event.pool = use.pool();
                set(event, use.interval(), interval.nanos(), interval.endMillis());
                file.event(event, interval.endMillis(), key(use));
            }
            ProcessCpuTime event = new ProcessCpuTime();
            set(event, interval.process(), interval.nanos(), interval.endMillis());
            file.event(event, interval.endMillis(), 0);
            interval.virtual().ifPresent(use -> writeGroups(use, interval.endMillis()));
            interval.ended().forEach(use -> threads.remove(use.serial()));
            if (file.flush()) {
                threads.clear();
            }
        }

        private void writeGroups(Interval.Virtual virtual, long endMillis) {
            for (Use use : virtual.groups()) {
                if (use.threads() > 0 || use.interval().totalNanos() > 0) {
                    VirtualThreadsCpuTime event = new VirtualThreadsCpuTime();
                    event.group = use.name();
                    event.threads = use.threads();
                    event.mounted = use.mounted();
                    set(event, use.interval(), virtual.nanos(), endMillis);
                    file.event(event, endMillis, 0);
                }
            }
        }

        private static void set(CpuTimeEvent event, CpuSnapshot times, long nanos, long endMillis) {
            event.set(times.userNanos(), times.systemNanos(), times.totalNanos(), nanos, endMillis);
        }

        private void open(long startMillis) throws IOException {
            file = new JfrFile(path, List.of(RecordedJvm.class, ThreadCpuTime.class, ProcessCpuTime.class,
                    VirtualThreadsCpuTime.class),
                    startMillis);
            RecordedJvm event = new RecordedJvm();
            event.jvm = subject.jvm();
            event.jdk = subject.jdk();
            event.commandLine = subject.commandLine();
            event.threadclock = subject.threadclock();
            file.event(event, startMillis, 0);
        }

        /** The thread's key; 0 for a row that is not an individual thread. */
        private long key(Use use) {
            if (use.serial() == 0) {
                return 0;
            }
            Known known = threads.get(use.serial());
            if (known == null || !known.name().equals(use.name())) {
                known = new Known(++keys, use.name());
                threads.put(use.serial(), known);
                file.thread(known.key(), use.name(), use.tid(), use.javaId());
            }
            return known.key();
        }

        @Override
        public void finish() throws IOException {
            if (file != null) {
                file.close();
            }
        }
    }

    /** As CSV: a row for each thread and interval in which it ran. Complete after each interval. */
    private static final class CsvWriter implements Writer {
        private final BufferedWriter out;

        CsvWriter(Path file) throws IOException {
            out = Files.newBufferedWriter(file);
            out.write(IntervalExport.CSV_HEAD + "\n");
        }

        @Override
        public void write(Interval interval) throws IOException {
            List<Use> rows = new ArrayList<>(interval.ran());
            interval.virtual().ifPresent(use -> rows.addAll(use.ran()));
            for (String row : IntervalExport.csv(interval, rows)) {
                out.write(row + "\n");
            }
            out.flush();
        }

        @Override
        public void finish() throws IOException {
            out.close();
        }
    }

    /** A recording as a JSON object in which each interval is a line. Valid JSON after each interval. */
    private static final class JsonWriter implements Writer {
        /** The end of the file, which the next interval overwrites. */
        private static final String END = "\n  ]\n}\n";

        private final FileChannel file;
        private long end; // offset of the end of the last interval
        private String separator = "";

        JsonWriter(Path path, Subject subject) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.WRITE);
            write("{\n  \"threadclock\": " + IntervalExport.line(subject.threadclock()) + ",\n  \"jvm\": "
                    + IntervalExport.line(subject.jvm())
                    + ",\n  \"jdk\": " + IntervalExport.line(subject.jdk())
                    + ",\n  \"commandLine\": " + IntervalExport.line(subject.commandLine())
                    + ",\n  \"intervals\": [");
        }

        @Override
        public void write(Interval interval) throws IOException {
            JsonObject object = IntervalExport.head(interval);
            object.add("threads", IntervalExport.uses(interval.ran(), false));
            write(separator + "\n    " + IntervalExport.line(object));
            separator = ",";
        }

        private void write(String text) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap((text + END).getBytes(StandardCharsets.UTF_8));
            for (long at = end; bytes.hasRemaining();) {
                at += file.write(bytes, at);
            }
            end += bytes.limit() - END.length();
        }

        @Override
        public void finish() throws IOException {
            file.close();
        }
    }

    /**
     * As an HTML page, written at the end. Until then there is a .jfr file for the report command.
     */
    private static final class HtmlWriter implements Writer {
        private final Path page;
        private final Subject subject;
        private final Timeline timeline = new Timeline();
        private final JfrWriter jfr;

        HtmlWriter(Path page, Subject subject) {
            this.page = page;
            this.subject = subject;
            jfr = new JfrWriter(soFar(page), subject);
        }

        @Override
        public void write(Interval interval) throws IOException {
            timeline.add(interval);
            jfr.write(interval);
        }

        static Path soFar(Path page) {
            return page.resolveSibling(
                    page.getFileName().toString().replaceFirst("\\.html$", "") + Format.JFR.ending());
        }

        @Override
        public void finish() throws IOException {
            jfr.finish();
            Files.writeString(page, new RecordingPage(subject, timeline).toHtml());
            Files.deleteIfExists(soFar(page));
        }
    }
}
