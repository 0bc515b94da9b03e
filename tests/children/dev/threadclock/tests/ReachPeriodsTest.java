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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
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

    private static void assumeReadsVirt(AttachJvm jvm) {
        jvm.run("attach", "reach=jvm").exits(0);
        assumeTrue(jvm.run("status", "--json").ok().out().contains("\"libjvm_user_time\": \"threadclock\""),
                "the JVM reads /proc: the option changes nothing");
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

    /** The times that the program printed of a thread in this word of its lines. */
    private static TreeMap<Long, Long> times(String output, String thread, int word) {
        TreeMap<Long, Long> times = new TreeMap<>();
        output.lines().map(line -> line.split(" "))
                .filter(words -> words.length == 9 && words[0].equals("at") && words[2].equals(thread))
                .forEach(words -> times.put(Long.parseLong(words[1]), Long.parseLong(words[word])));
        return times;
    }

    private static double at(TreeMap<Long, Long> times, long millis) {
        Map.Entry<Long, Long> before = times.floorEntry(millis);
        Map.Entry<Long, Long> after = times.higherEntry(millis);
        return before.getValue() + (double) (after.getValue() - before.getValue())
                * (millis - before.getKey()) / (after.getKey() - before.getKey());
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
                TreeMap<Long, Long> users = times(output, name, 3);
                TreeMap<Long, Long> totals = times(output, name, 4);
                if (totals.isEmpty() || totals.firstKey() > previous) {
                    continue; // It was not born yet.
                }
                periods++;
                double nanos = (look - previous) * 1e6;
                double user = (at(users, look) - at(users, previous)) / nanos;
                double system = (at(totals, look) - at(totals, previous)) / nanos - user;
                double tolerance = TOLERANCE + ticks.lengthNanos() / nanos;
                // Of a thread that has not run there is no event.
                RecordedEvent event = looks.get(look).get(name);
                double recordedUser = event == null ? 0 : event.getDouble("user") * PROCESSORS;
                double recordedSystem = event == null ? 0 : event.getDouble("system") * PROCESSORS;
                if (Math.abs(recordedUser - user) > tolerance
                        || Math.abs(recordedSystem - system) > tolerance) {
                    wrong.add(String.format("%s at %s: user %s, system %s where it used %s and %s of a CPU",
                            name, Instant.ofEpochMilli(look), recordedUser, recordedSystem, user, system));
                }
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
        long[] last = IntStream.range(3, 9)
                .mapToLong(word -> times(output, thread, word).lowerEntry(to).getValue()).toArray();
        long nanos = 2 * UNIT_NANOS + ticks.lengthNanos();
        assertThat(last[0]).as("user time of %s", thread).isBetween(last[2] * UNIT_NANOS - nanos,
                last[4] * UNIT_NANOS + nanos);
        assertThat(last[1] - last[0]).as("system time of %s", thread)
                .isBetween(last[3] * UNIT_NANOS - nanos, last[5] * UNIT_NANOS + nanos);
    }

    @OnEachJdk(from = 25)
    void attachedAndDetachedWhileItRecords(TestJdk jdk) throws Exception {
        Path file = folder.resolve("first.jfr");
        try (AttachJvm jvm = start(jdk, ChildJvm.of(jdk), file)) {
            AttachJvm.sleep(4000);
            assumeReadsVirt(jvm);
            long attached = System.currentTimeMillis();
            Files.createFile(younger());
            AttachJvm.sleep(6000);
            long detaching = System.currentTimeMillis();
            jvm.run("detach").ok();
            long detached = System.currentTimeMillis();
            AttachJvm.sleep(4000);
            jcmd(jdk, jvm, "JFR.stop", "name=first", "filename=" + file);
            // Flight Recorder has noted a larger total than they have for old threads that ticks have hit,
            // and leaves periods out.
            assertRight(file, jvm.said(), attached, detaching, NOT_HIT_BEFORE);
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
        assertRight(file, jvm.said(), began, ending, threads);
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
        try (AttachJvm jvm = start(jdk, ChildJvm.of(jdk), folder.resolve("first.jfr"))) {
            AttachJvm.sleep(3000);
            jcmd(jdk, jvm, "JFR.stop", "name=first");
            assumeReadsVirt(jvm);
            jcmd(jdk, jvm, "JFR.start", "name=second",
                    "settings=" + Used.settings(folder, ReachTest.LOAD, true, "1 s"));
            assertRightFromNow(jdk, jvm, "second", NOT_HIT_BEFORE);
        }
    }
}
