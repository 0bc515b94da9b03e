// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.agent.jfr.VirtualThreadsCpuTime;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.interval.Use;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads the CPU times from a Flight Recorder file, whichever program wrote it. Each thread's event contains
 * the interval that it belongs to.
 */
final class JfrRecording {
    private record Span(long endMillis, long nanos) {}

    /** Identifies a thread. The kernel reuses TIDs; the JVM does not reuse its ids. */
    private record Identity(long javaId, long tid, String name) {}

    private static final long LIMIT_SECONDS = 20;

    // A chunk's header: how long it is, what it begins with, and where the chunk's size and metadata are.
    private static final int HEADER_BYTES = 68;
    private static final int MAGIC = 'F' << 24 | 'L' << 16 | 'R' << 8;
    private static final int BYTES = 8;
    private static final int METADATA = 24;

    private final Path file;
    private volatile RecordingFile open;
    private final Map<Span, List<Use>> uses = new HashMap<>();
    /** Groups of virtual threads, by the end of their intervals. */
    private final Map<Long, List<Use>> groups = new HashMap<>();
    private final Map<Identity, Long> serials = new HashMap<>();
    private Subject subject = new Subject("a JVM", "", "", "");

    private JfrRecording(Path file) {
        this.file = file;
    }

    static JfrRecording read(Path file) {
        return read(file, LIMIT_SECONDS);
    }

    /**
     * The JDK's reader follows links wherever they lead, even in circles (JDK 17.0.15 and 25.0.3,
     * jdk.jfr.internal.consumer: ChunkParser.readEvent and fillConstantPools). It reads in a thread of its
     * own, which is given up after these seconds, and one more for each megabyte.
     */
    static JfrRecording read(Path file, long seconds) {
        JfrRecording recording = new JfrRecording(file);
        FutureTask<Void> reading = new FutureTask<>(() -> {
            recording.takeAll();
            return null;
        });
        Thread reader = new Thread(reading, "reader of a recording");
        reader.setDaemon(true);
        reader.start();
        try {
            reading.get(seconds + file.toFile().length() / 1_000_000, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            // The JDK's reader may throw anything on bad data, such as InternalError or OutOfMemoryError.
            recording.cutShort(e.getCause());
        } catch (TimeoutException e) {
            recording.close();
            throw recording.unreadable("reading it does not end");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (recording.uses.isEmpty()) {
            throw new Failure(file
                    + " contains no CPU times of threads; they come from 'threadclock record PID -o"
                    + " FILE.jfr', or from any"
                    + " recording of a JVM that was started with -agentpath:libthreadclock.so");
        }
        return recording;
    }

    /**
     * The JDK's reader waits forever for the metadata of a JVM that was killed before it wrote them, and for
     * the end of a chunk without bytes (ChunkHeader.refresh).
     */
    private void checkChunks() throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            for (long at = 0, bytes; at + HEADER_BYTES <= in.length(); at += bytes) {
                in.seek(at);
                if (in.readInt() != MAGIC) {
                    if (at == 0) {
                        throw new Failure(file + " is not a Flight Recorder file, which 'threadclock record"
                                + " -o FILE.jfr' writes");
                    }
                    return; // what follows the last chunk is ignored
                }
                in.seek(at + BYTES);
                bytes = in.readLong();
                in.seek(at + METADATA);
                if (bytes < HEADER_BYTES || in.readLong() <= 0) {
                    throw unreadable("a part has no end or no metadata; was its JVM killed?");
                }
            }
        }
    }

    private void takeAll() throws IOException {
        checkChunks();
        try (RecordingFile events = new RecordingFile(file)) {
            open = events;
            while (events.hasMoreEvents()) {
                take(events.readEvent());
            }
        }
    }

    /** A truncated file is used up to its end. One that fills the memory may lead in a circle. */
    private void cutShort(Throwable e) {
        if (e instanceof Failure) {
            throw (Failure) e;
        }
        if (e instanceof OutOfMemoryError) {
            throw new Failure(
                    "cannot read " + file + ": it needs more memory than this JVM has, or is damaged; "
                            + "try THREADCLOCK_JAVA_OPTIONS=-Xmx8g");
        }
        if (uses.isEmpty()) {
            throw unreadable(e.getMessage());
        }
    }

    /** Ends a reader that goes in circles, because it reads from the file at each turn. */
    private void close() {
        try (RecordingFile closed = open) {
            open = null;
        } catch (IOException e) {
            // Nothing is written to the file.
        }
    }

    private Failure unreadable(String why) {
        return new Failure("cannot read " + file + ": " + (!Files.exists(file) ? "there is no such file"
                : !Files.isReadable(file) ? "permission denied"
                        : "it is cut off or damaged (" + why + ")"));
    }

    private void take(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case ThreadCpuTime.NAME -> takeThread(event);
            case VirtualThreadsCpuTime.NAME -> takeGroup(event);
            case RecordedJvm.NAME -> subject = new Subject(text(event, "jvm"), text(event, "jdk"),
                    text(event, "commandLine"), text(event, "threadclock"));
            case "jdk.JVMInformation" -> takeJvm(event);
            default -> {
                // It is not one of our events.
            }
        }
    }

    private static CpuSnapshot times(RecordedEvent event) {
        return new CpuSnapshot(event.getLong("user"), event.getLong("system"), event.getLong("total"));
    }

    private void takeGroup(RecordedEvent event) {
        String name = Printable.line(String.valueOf(event.getString("group")));
        CpuSnapshot times = times(event);
        groups.computeIfAbsent(event.getLong("intervalEnd"), end -> new ArrayList<>()).add(Use.group(name,
                (int) event.getLong("threads"), (int) event.getLong("mounted"), times, times));
    }

    private void takeThread(RecordedEvent event) {
        String name = Printable.line(String.valueOf(event.getString("threadName")));
        long javaId = event.getLong("javaThreadId");
        int tid = (int) event.getLong("osThreadId");
        // Only the record command knows waits.
        long waited = event.hasField("waited") ? event.getLong("waited") : Use.NOT_MEASURED;
        uses.computeIfAbsent(new Span(event.getLong("intervalEnd"), event.getLong("interval")),
                span -> new ArrayList<>())
                .add(Use.recorded(serial(javaId, tid, name), name, tid, javaId, times(event))
                        .withWait(Math.max(Use.NOT_MEASURED, waited)));
    }

    /** The thread's serial; 0 for a row that is not an individual thread. */
    private long serial(long javaId, int tid, String name) {
        if (javaId == 0 && tid == 0) {
            return 0;
        }
        Identity identity = javaId != 0 ? new Identity(javaId, 0, "") : new Identity(0, tid, name);
        return serials.computeIfAbsent(identity, unknown -> serials.size() + 1L);
    }

    /** The event written by the record command has more details. */
    private void takeJvm(RecordedEvent event) {
        if (subject.threadclock().isEmpty()) {
            // The class or jar; the program's arguments, which follow, may be secret.
            String main = text(event, "javaArguments").split(" ", 2)[0];
            String jvm = event.getLong("pid") + " (" + ("java " + main).strip() + ")";
            // The platform and the compiler follow "for".
            subject = new Subject(jvm, text(event, "jvmVersion").replaceFirst(" for .*", ""), "", "");
        }
    }

    /** "" if the field is missing, because other versions write other events. */
    private static String text(RecordedEvent event, String field) {
        String text = event.hasField(field) ? event.getString(field) : null;
        return text == null ? "" : Printable.line(text);
    }

    Subject subject() {
        return subject;
    }

    Timeline timeline() {
        Timeline timeline = new Timeline();
        Map<Long, List<Use>> groupsByEnd = groupsByEnd();
        uses.entrySet().stream().sorted(Comparator.comparingLong(entry -> entry.getKey().endMillis()))
                .forEach(entry -> timeline.add(interval(entry.getKey(), entry.getValue(),
                        // Removed, because several JVMs in one file may have intervals with the same end.
                        groupsByEnd.remove(entry.getKey().endMillis()))));
        return timeline;
    }

    /** In a JVM's own recording, groups and threads of the same interval are some milliseconds apart. */
    private Map<Long, List<Use>> groupsByEnd() {
        NavigableSet<Long> ends = new TreeSet<>();
        uses.keySet().forEach(span -> ends.add(span.endMillis()));
        Map<Long, List<Use>> byEnd = new HashMap<>();
        groups.forEach((end, ofGroup) -> byEnd.computeIfAbsent(nearest(ends, end), near -> new ArrayList<>())
                .addAll(ofGroup));
        return byEnd;
    }

    private static long nearest(NavigableSet<Long> ends, long end) {
        Long before = ends.floor(end);
        Long after = ends.ceiling(end);
        return after == null || before != null && end - before <= after - end ? before : after;
    }

    /**
     * Ended threads are included, so that the process's time is the sum of its threads' times. groups: null
     * if there are none.
     */
    private static Interval interval(Span span, List<Use> threads, List<Use> groups) {
        CpuSnapshot sum = threads.stream().map(Use::interval).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
        CpuSnapshot process = new CpuSnapshot(sum.userNanos(), sum.totalNanos() - sum.userNanos(),
                sum.totalNanos());
        Optional<Interval.Virtual> virtual = Optional.ofNullable(groups)
                .map(found -> new Interval.Virtual(span.nanos(), found, CpuSnapshot.ZERO));
        return new Interval(span.endMillis(), span.nanos(), process, process, threads, List.of(), virtual);
    }
}
