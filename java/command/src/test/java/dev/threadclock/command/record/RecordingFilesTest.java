// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.report.RecordingPage;
import dev.threadclock.command.report.ReportCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Recordings contain everything, names may contain anything, and report reads the .jfr file.
 */
class RecordingFilesTest {
    private static final String NASTY = "a, \"quoted\" </script><b>&amp; {{DATA}} \u2603";
    private static final int INTERVALS = 4;

    @TempDir
    Path folder;

    private Path write() throws Exception {
        Path file = folder.resolve("recording.jfr");
        begin(file).close();
        return file;
    }

    private static Subject subject() {
        return new Subject("4711 (java " + NASTY + ")", "17", "java " + NASTY, "1.2.3");
    }

    /** Writes all intervals but does not close the file, as if the recorder had been killed. */
    private static JfrWriter begin(Path file) throws Exception {
        JfrWriter writer = new JfrWriter(file, subject());
        intervals().forEach(interval -> {
            try {
                writer.write(interval);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return writer;
    }

    private static List<Interval> intervals() {
        List<Interval> intervals = new ArrayList<>();
        for (int i = 1; i <= INTERVALS; i++) {
            CpuSnapshot process = new CpuSnapshot(90_000_001, 29_999_999, 120_000_000);
            intervals.add(new Interval(1_700_000_000_000L + 500L * i, 500_000_000, process, process, List.of(
                    new Use("worker-1", 11, 5, 1, 'R', 1, new CpuSnapshot(70_000_001, 20_000_002, 90_000_004),
                            process).withWait(250_000_000),
                    new Use("has not run", 13, 6, 2, 'W', 1, CpuSnapshot.ZERO, process),
                    new Use(NASTY, 12, 7, 0, 'S', 1, new CpuSnapshot(20_000_000, 9_000_000, 29_999_996),
                            process)),
                    List.of()));
        }
        return intervals;
    }

    @Test
    void aKilledRecorderLeavesAllIntervalsThatWereComplete() throws Exception {
        Path killed = folder.resolve("killed.jfr");
        begin(killed);
        assertThat(Files.mismatch(killed, write())).isEqualTo(-1);
    }

    @Test
    void aLongJfrFileHasSeveralChunksAndAllThreadsInEach() throws Exception {
        Path file = folder.resolve("long.jfr");
        JfrWriter writer = new JfrWriter(file, new Subject("1 (java Long)", "", "", "1.2.3"));
        CpuSnapshot used = new CpuSnapshot(1, 2, 3);
        String name = "n".repeat(1000);
        int intervals = 60;
        for (int i = 1; i <= intervals; i++) {
            List<Use> threads = new ArrayList<>();
            for (int k = 1; k <= 300; k++) {
                threads.add(new Use(name + k, k, k, k, 'R', 1, used, used));
            }
            writer.write(
                    new Interval(1_700_000_000_000L + 500L * i, 500_000_000, used, used, threads, List.of()));
        }
        writer.close();
        assertThat(Files.size(file)).isGreaterThan(20_000_000);
        int threads = 0;
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals("dev.threadclock.ThreadCpuTime")) {
                    threads++;
                    assertThat(event.getThread().getJavaName()).isEqualTo(event.getString("threadName"));
                    assertThat(event.getStartTime()).isEqualTo(event.getInstant("intervalEnd"));
                }
            }
        }
        assertThat(threads).isEqualTo(300 * intervals);
    }

    @Test
    void aFloodOfThreadsEndsTheRecordingBeforeItFillsTheDisk() throws Exception {
        Path file = folder.resolve("flood.jfr");
        CpuSnapshot used = new CpuSnapshot(1, 2, 3);
        List<Use> threads = Collections.nCopies(50_000,
                new Use("n".repeat(100), 1, 0, 0, 'R', 1, used, used));
        try (JfrWriter writer = new JfrWriter(file, subject())) {
            assertThatIOException().isThrownBy(() -> {
                for (int i = 1; i <= 20; i++) {
                    writer.write(new Interval(1000L * i, 1_000_000_000, used, used, threads, List.of()));
                }
            }).withMessageContaining("too many threads");
        }
        assertThat(Files.size(file)).isBetween(10_000_000L, 100_000_000L);
        assertThat(RecordingFile.readAllEvents(file)).hasSizeGreaterThan(50_000);
    }

    @Test
    void csvHasARowForEachThread() {
        List<String> rows = IntervalExport.csv(intervals().get(0), intervals().get(0).ran());
        assertThat(rows.get(0)).isEqualTo(
                "2023-11-14T22:13:20.500Z,500000000,11,1,worker-1,worker-*,R,70000001,20000002,90000004,"
                        + "90000001,29999999,120000000");
        String quoted = '"' + NASTY.replace("\"", "\"\"") + '"';
        assertThat(rows.get(1)).endsWith(",12,0," + quoted + "," + quoted
                + ",S,20000000,9000000,29999996,90000001,29999999,120000000");
    }

    @Test
    void jfrHasRawNanosecondsAndUnitsForItsTools() throws Exception {
        List<RecordedEvent> events = RecordingFile.readAllEvents(write()).stream()
                .filter(event -> event.getEventType().getName().equals("dev.threadclock.ThreadCpuTime"))
                .toList();
        assertThat(events).hasSize(2 * INTERVALS);
        RecordedEvent event = events.get(0);
        assertThat(event.getString("pool")).isEqualTo("worker-*");
        assertThat(event.getLong("user")).isEqualTo(70_000_001);
        assertThat(event.getDuration("total").toNanos()).as("a time span").isEqualTo(90_000_004);
        assertThat(event.getDuration("waited").toMillis()).isEqualTo(250);
        assertThat(events.get(1).getLong("waited")).as("unknown").isEqualTo(Long.MIN_VALUE);
        assertThat(event.getStartTime().toEpochMilli()).as("the time of the sample")
                .isEqualTo(1_700_000_000_500L);
        assertThat(event.getThread().getJavaName()).isEqualTo("worker-1");
        assertThat(event.getThread().getJavaThreadId()).isEqualTo(1);
        assertThat(event.getThread().getOSThreadId()).isEqualTo(11);
        assertThat(events.get(1).getThread().getOSName()).isEqualTo(NASTY);
        assertThat(event.getInstant("intervalEnd").toEpochMilli()).isEqualTo(1_700_000_000_500L);
        assertThat(event.getEventType().getField("system").getContentType()).as("tools show units")
                .isEqualTo("jdk.jfr.Timespan");
        assertThat(event.getEventType().getField("system").getLabel()).isEqualTo("System Time");
        assertThat(event.getEventType().getCategoryNames()).endsWith("threadclock");
    }

    @Test
    void theReportOfAJfrFileIsThePageOfTheRecording() throws Exception {
        Path jfr = write();
        Path page = folder.resolve("report.html");
        assertThat(report(jfr.toString(), "-o", page.toString())).isZero();
        assertThat(Files.readString(page)).as("the same page")
                .matches(page()::equals);
        assertThat(page()).as("worker-1 used 18 % and waited 50 %").contains("wait %</th>",
                "<td>worker-*</td><td>14.0</td><td>4.0</td><td>18.0</td><td>50.0</td>");
    }

    private static String page() {
        Timeline timeline = new Timeline();
        intervals().forEach(timeline::add);
        return new RecordingPage(subject(), timeline).toHtml();
    }

    @Test
    void thePageIsSelfContainedAndItsTextIsText() throws Exception {
        String page = page();
        assertThat(page).doesNotContainPattern("(?i)(src|href)\\s*=|@import|url\\(\\s*['\"]?http");
        assertThat(page.split("</script>", -1)).as("scripts").hasSize(4);
        assertThat(page).contains("java a, &quot;quoted&quot; &lt;/script&gt;").doesNotContain("<b>&");
    }

    @Test
    void aRecordingWithoutOurEventsIsRefusedWithTheReason() throws Exception {
        Path file = folder.resolve("other.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.JVMInformation");
            recording.start();
            recording.dump(file);
        }
        assertThat(report(file.toString())).isEqualTo(1);
        Path none = Files.writeString(folder.resolve("none.jfr"), "no recording");
        assertThat(report(none.toString())).isEqualTo(1);
        assertThat(report(folder.resolve("nothing.jfr").toString())).isEqualTo(1);
    }

    /** Runs the report command and returns its exit status. */
    private static int report(String... args) {
        return new CommandLine(new ReportCommand()).setExecutionExceptionHandler((e, command, parsed) -> {
            assertThat(e).isInstanceOf(Failure.class);
            return CommandLine.ExitCode.SOFTWARE;
        }).execute(args);
    }

    @Test
    void lengthsOfTimeHaveUnits() {
        TimeSpan spans = new TimeSpan();
        assertThat(List.of("250ms", "90", "90s", "5m", "1h", "2d", "0.2", "1.5s", "0.25m"))
                .extracting(text -> spans.convert(text).toMillis())
                .containsExactly(250L, 90_000L, 90_000L, 300_000L, 3_600_000L, 172_800_000L, 200L, 1_500L,
                        15_000L);
        assertThat(List.of("", "5x", "-1s", ".5s", "1.s", "1,5s", "s")).allSatisfy(
                text -> assertThatThrownBy(() -> spans.convert(text)).hasMessageContaining("500ms"));
    }
}
