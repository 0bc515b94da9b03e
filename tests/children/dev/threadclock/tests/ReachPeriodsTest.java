// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.command.machine.TickClock;
import dev.threadclock.tests.child.RecordedPeriods;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * reach=jvm in a JVM that has recorded before: in every later period jdk.ThreadCPULoad says what ThreadMXBean
 * says, although Flight Recorder keeps for each thread what it read before. Sums would hide a difference.
 */
@Tag("alone")
class ReachPeriodsTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final double TOLERANCE = 0.05;
    /** Of the times in /proc. */
    private static final long UNIT_NANOS = 10_000_000;
    /** The threads whose periods are compared, but for the old ones that ticks have hit. */
    private static final List<String> NOT_HIT_BEFORE = List.of("old-avoider", "young-hitter", "young-avoider",
            "young-worker");
    private static final List<String> ALL = List.of("old-hitter", "old-avoider", "old-worker", "young-hitter",
            "young-avoider", "young-worker");

    @TempDir
    Path folder;

    private final TickClock ticks = TickClock.learn();

    private AttachJvm start(TestJdk jdk, ChildJvm child, Path file) throws IOException {
        return child.withClassPath(Product.JAR)
                .with("-XX:StartFlightRecording=name=first,dumponexit=true,filename=" + file
                        + ",settings=" + Used.settings(folder, ReachTest.LOAD, true, "1 s"))
                .startTarget(RecordedPeriods.class, ticks.lengthNanos(), ticks.phaseNanos(), younger());
    }

    /** Once it exists, the program starts more threads. */
    private Path younger() {
        return folder.resolve("younger");
    }

    private static void jcmd(TestJdk jdk, AttachJvm jvm, String... command) {
        ChildJvm.exec(jdk.jdk().home() + "/bin/jcmd", jvm.pid(), command).end().ok();
    }

    /** The events of this program's threads by the moment of Flight Recorder's look, in milliseconds. */
    private static TreeMap<Long, Map<String, RecordedEvent>> looks(Path file) throws IOException {
        TreeMap<Long, Map<String, RecordedEvent>> looks = new TreeMap<>();
        for (RecordedEvent event : Used.events(file, ReachTest.LOAD)) {
            if (event.getThread() != null
                    && ("" + event.getThread().getJavaName()).matches("(old|young)-.*")) {
                long millis = event.getStartTime().toEpochMilli();
                Long known = looks.floorKey(millis);
                looks.computeIfAbsent(known != null && millis - known < 300 ? known : millis,
                        look -> new TreeMap<>()).put(event.getThread().getJavaName(), event);
            }
        }
        return looks;
    }

    /** What the program printed of a thread at once: all time between the two moments is in doubt. */
    private record Line(long beganMillis, long endedMillis, List<Long> times) {
        long user() {
            return times.get(0);
        }

        long total() {
            return times.get(1);
        }

        /** At the moment of the total, the user time was between the two. */
        long leastSystem() {
            return total() - times.get(2);
        }

        long mostSystem() {
            return total() - user();
        }

        long ofKernel(int field) {
            return times.get(3 + field) * UNIT_NANOS;
        }
    }

    private static List<Line> lines(String output, String thread) {
        return output.lines().map(line -> line.split(" "))
                .filter(words -> words.length == 11 && words[0].equals("at") && words[3].equals(thread))
                .map(words -> new Line(Long.parseLong(words[1]), Long.parseLong(words[2]),
                        Stream.of(words).skip(4).map(Long::valueOf).toList()))
                .toList();
    }

    /** The last line whose reads had ended before this moment. */
    private static Optional<Line> before(List<Line> lines, long millis) {
        return lines.stream().filter(line -> line.endedMillis < millis).reduce((first, second) -> second);
    }

    /** The first line whose reads began after this moment. */
    private static Optional<Line> after(List<Line> lines, long millis) {
        return lines.stream().filter(line -> line.beganMillis > millis).findFirst();
    }

    /** What it has printed, once that reaches beyond this moment. */
    private static String said(AttachJvm jvm, long millis, List<String> threads) {
        String[] said = new String[1];
        jvm.await("lines of each thread", () -> {
            said[0] = jvm.said();
            return threads.stream().allMatch(thread -> after(lines(said[0], thread), millis).isPresent());
        });
        return said[0];
    }

    /** In each period that lies between the two moments. */
    private void assertRight(Path file, String output, long from, long to, List<String> threads)
            throws IOException {
        List<String> wrong = new ArrayList<>();
        TreeMap<Long, Map<String, RecordedEvent>> looks = looks(file);
        int periods = 0;
        for (long look : new TreeSet<>(looks.subMap(from, to).keySet())) {
            Long previous = looks.lowerKey(look);
            if (previous == null || previous < from) {
                continue;
            }
            for (String name : threads) {
                List<Line> lines = lines(output, name);
                Optional<Line> beforePrevious = before(lines, previous);
                if (beforePrevious.isEmpty()) {
                    continue; // It was not born yet.
                }
                periods++;
                Line afterPrevious = after(lines, previous).orElseThrow();
                Line beforeLook = before(lines, look).orElseThrow();
                Line afterLook = after(lines, look).orElseThrow();
                // Of a thread that has not run there is no event.
                RecordedEvent event = looks.get(look).get(name);
                long nanos = (look - previous) * 1_000_000;
                double tolerance = TOLERANCE * nanos + ticks.lengthNanos();
                String what = name + " at " + Instant.ofEpochMilli(look);
                wrong(what + ": user", event == null ? 0 : event.getDouble("user"), nanos,
                        beforeLook.user() - afterPrevious.user() - tolerance,
                        afterLook.user() - beforePrevious.get().user() + tolerance).ifPresent(wrong::add);
                wrong(what + ": system", event == null ? 0 : event.getDouble("system"), nanos,
                        beforeLook.leastSystem() - afterPrevious.mostSystem() - tolerance,
                        afterLook.mostSystem() - beforePrevious.get().leastSystem() + tolerance)
                        .ifPresent(wrong::add);
            }
        }
        assertThat(periods).as("periods that were compared").isGreaterThan(10);
        threads.stream().filter(name -> threads.equals(ALL) || name.startsWith("young"))
                .forEach(name -> assertAsKernel(output, name, to));
        assertThat(wrong).isEmpty();
    }

    /**
     * The agent's last answer is what /proc says, because an error that events and answers share would not
     * show. Not of threads older than the agent: the two may have split their time at different moments.
     */
    private void assertAsKernel(String output, String thread, long to) {
        Line last = before(lines(output, thread), to).orElseThrow();
        long nanos = 2 * UNIT_NANOS + ticks.lengthNanos();
        assertThat(last.user()).as("user time of %s", thread).isBetween(last.ofKernel(0) - nanos,
                last.ofKernel(2) + nanos);
        assertThat(last.mostSystem()).as("system time of %s", thread)
                .isGreaterThanOrEqualTo(last.ofKernel(1) - nanos);
        assertThat(last.leastSystem()).as("system time of %s", thread)
                .isLessThanOrEqualTo(last.ofKernel(3) + nanos);
    }

    /** A recorded load unless it is, of this time, between these nanoseconds. */
    private static Optional<String> wrong(String what, double load, long nanos, double least, double most) {
        double recorded = load * PROCESSORS * nanos;
        return least <= recorded && recorded <= most ? Optional.empty()
                : Optional.of(String.format("%s %.0f ns of %d where it used %.0f to %.0f", what, recorded,
                        nanos, least, most));
    }

    @OnEachJdk(from = 25)
    void attachedAndDetachedWhileItRecords(TestJdk jdk) throws Exception {
        ReachTest.assumeReadsVirt(jdk);
        Path file = folder.resolve("first.jfr");
        try (AttachJvm jvm = start(jdk, ChildJvm.of(jdk), file)) {
            AttachJvm.sleep(2500);
            jvm.run("attach", "reach=jvm").exits(0);
            long attached = System.currentTimeMillis();
            Files.createFile(younger());
            AttachJvm.sleep(6000);
            long detaching = System.currentTimeMillis();
            jvm.run("detach").ok();
            long detached = System.currentTimeMillis();
            AttachJvm.sleep(2500);
            jcmd(jdk, jvm, "JFR.stop", "name=first", "filename=" + file);
            // Flight Recorder has noted a larger total than they have for old threads that ticks have hit,
            // and leaves periods out.
            assertRight(file, said(jvm, detaching, NOT_HIT_BEFORE), attached, detaching, NOT_HIT_BEFORE);
            List<RecordedEvent> after = looks(file).tailMap(detached - 1500).values().stream()
                    .flatMap(look -> look.values().stream()).toList();
            assertThat(after).as("events after the detach").hasSizeGreaterThan(4).allSatisfy(event -> {
                assertThat(event.getDouble("user")).as("%s", event).isBetween(0.0, 1.0);
                assertThat(event.getDouble("system")).as("%s", event).isBetween(0.0, 1.0);
            });
        }
    }

    /** In the time from now on, with more threads, until it stops this recording. */
    private void assertRightFromNow(TestJdk jdk, AttachJvm jvm, String recording, List<String> threads)
            throws IOException {
        Path file = folder.resolve(recording + ".jfr");
        long began = System.currentTimeMillis();
        Files.createFile(younger());
        AttachJvm.sleep(6000);
        long ending = System.currentTimeMillis();
        jcmd(jdk, jvm, "JFR.stop", "name=" + recording, "filename=" + file);
        assertRight(file, said(jvm, ending, threads), began, ending, threads);
    }

    private void assertRightFromTheStart(TestJdk jdk, ChildJvm child) throws Exception {
        try (AttachJvm jvm = start(jdk, child, folder.resolve("first.jfr"))) {
            assertRightFromNow(jdk, jvm, "first", ALL);
        }
        Files.delete(younger());
    }

    /**
     * Whoever has the agent from the start need not ask for it, and no thread is wrong in any period: nor is
     * it where the JVM reads /proc and the agent changes nothing.
     */
    @OnEachJdk(from = 17)
    void fromTheStart(TestJdk jdk) throws Exception {
        assumeTrue(jdk.isThorough() || jdk.feature() >= 25, "one of the JDKs that read /proc suffices");
        assertRightFromTheStart(jdk, ChildJvm.of(jdk).withAgentPath(""));
    }

    /** async-profiler also replaces functions of libjvm, on the same page, which it leaves writable. */
    @OnEachJdk(from = 26)
    void besideAsyncProfilersTimersBothAreRight(TestJdk jdk) throws Exception {
        for (boolean first : new boolean[]{true, false}) {
            Path profile = folder.resolve("profile-" + first);
            String profiler = "-agentpath:" + CompanyTest.asyncProfiler(folder)
                    + "=start,event=ctimer,interval=1ms,collapsed,file=" + profile;
            ChildJvm child = ChildJvm.of(jdk);
            assertRightFromTheStart(jdk, first ? child.with(profiler).withAgentPath("reach=jvm")
                    : child.withAgentPath("reach=jvm").with(profiler));
            assertThat(profile).content().contains("RecordedPeriods.workInTheKernel");
        }
    }

    @OnEachJdk(from = 25)
    void attachedBetweenTwoRecordings(TestJdk jdk) throws Exception {
        ReachTest.assumeReadsVirt(jdk);
        try (AttachJvm jvm = start(jdk, ChildJvm.of(jdk), folder.resolve("first.jfr"))) {
            AttachJvm.sleep(2000);
            jcmd(jdk, jvm, "JFR.stop", "name=first");
            jvm.run("attach", "reach=jvm").exits(0);
            jcmd(jdk, jvm, "JFR.start", "name=second",
                    "settings=" + Used.settings(folder, ReachTest.LOAD, true, "1 s"));
            assertRightFromNow(jdk, jvm, "second", NOT_HIT_BEFORE);
        }
    }
}
