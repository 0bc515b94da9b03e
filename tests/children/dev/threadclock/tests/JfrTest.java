// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.AgentsEvents;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.PoolWork;
import dev.threadclock.tests.child.Threads;
import dev.threadclock.tests.child.VirtualAccounts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the agent, the JVM's own Flight Recorder records CPU times, from the JVM's start or later. */
class JfrTest {
    private static final String THREADS = "dev.threadclock.ThreadCpuTime";

    @TempDir
    Path folder;

    /** With -agentpath, the classes are in the jar beside the library. */
    private ChildJvm recording(TestJdk jdk, Path file, String more) {
        return recording(ChildJvm.of(jdk).withAgentPath(""), file, more);
    }

    private static ChildJvm recording(ChildJvm child, Path file, String more) {
        return child.with("-XX:StartFlightRecording=dumponexit=true,filename=" + file + more,
                "-Dawaits.events=true");
    }

    @OnEachJdk
    void aRecordingFromTheStartHasThem(TestJdk jdk) throws Exception {
        Path file = folder.resolve("start.jfr");
        for (ChildJvm child : List.of(ChildJvm.of(jdk).withJavaAgent(""),
                ChildJvm.of(jdk).withAgentPath(""))) {
            Result result = recording(child, file, "").with("-Dgiven=HIDDENPROPERTY")
                    .withEnvironment("GIVEN", "HIDDENVARIABLE")
                    .run(PoolWork.class, folder, "--given=HIDDENARGUMENT").ok();
            Used used = Used.inJfr(file);
            used.assertAsSaid(result.out());
            assertThat(used.processNanos()).isPositive();
            assertThat(used.allNanos()).as("%s", used.pools()).isBetween(used.processNanos() * 9 / 10,
                    used.processNanos() * 11 / 10);
        }
        assertNothingOfWhatTheProgramWasGiven(file);
    }

    /** Recordings are sent around. */
    private void assertNothingOfWhatTheProgramWasGiven(Path file) throws Exception {
        Path page = folder.resolve("given.html");
        assertThat(RecordingFile.readAllEvents(file).toString()).as("the JVM's own record")
                .contains("HIDDENPROPERTY", "HIDDENVARIABLE", "HIDDENARGUMENT");
        Result result = AttachJvm.command("report", file, "--text", "-o", page).ok();
        assertThat(result.out()).contains(" (java " + PoolWork.class.getName() + "), from ");
        assertThat(result + Files.readString(page)).doesNotContain("HIDDEN", folder + " ");
    }

    @OnEachJdk(from = 21)
    void itHasTheGroupsOfVirtualThreads(TestJdk jdk) throws Exception {
        Path file = folder.resolve("virtual.jfr");
        Result result = recording(ChildJvm.of(jdk).withJavaAgent(""), file, "")
                .run(VirtualAccounts.class);
        long recorded = 0;
        for (RecordedEvent event : Used.events(file, "dev.threadclock.VirtualThreadsCpuTime")) {
            assertThat(event.getString("group")).isEqualTo("(unnamed virtual threads)");
            assertThat(event.getLong("user") + event.getLong("system")).isEqualTo(event.getLong("total"));
            assertThat(event.getLong("mounted")).isBetween(0L, event.getLong("threads"));
            recorded += event.getLong("total");
        }
        long used = result.ok().number("total");
        // It may include a little that the threads use after their last reading.
        assertThat(recorded).as("%s", result).isBetween(used - used / 50, used + used / 50);
        assertThat(AttachJvm.command("report", file).ok().out())
                .contains("VIRTUAL THREADS, ", "\n(unnamed virtual threads) ");
    }

    @OnEachJdk(thorough = true)
    void thePeriodIsASetting(TestJdk jdk) throws Exception {
        Path file = folder.resolve("period.jfr");
        Path settings = Used.settings(folder, THREADS, true, "100 ms");
        Result result = recording(jdk, file, ",settings=" + settings).with("-Dwatched.millis=1000")
                .run(PoolWork.class);
        Used.inJfr(file).assertAsSaid(result.out());
        List<Long> intervals = Used.events(file, THREADS).stream().map(event -> event.getLong("interval"))
                .sorted().toList();
        assertThat(intervals.get(intervals.size() / 2)).as("the usual interval").isLessThan(500_000_000L);
    }

    @OnEachJdk(thorough = true)
    void aListenerThatIsLateLosesNoTime(TestJdk jdk) throws Exception {
        Path file = folder.resolve("late.jfr");
        Result result = ChildJvm.of(jdk).withAgentPath("").withClassPath(Product.origin(JfrTest.class))
                .run(LateListener.class, file).ok();
        assertThat(Used.inJfr(file).processNanos()).isGreaterThan(result.number("burnt") * 9 / 10);
    }

    /**
     * A child program whose listener is called before the agent's, unless the agent's thread overtakes it,
     * and takes until between the first event and the second. Argument: the file to record to. Prints {@code
     * burnt=NANOS}, what a thread has used that began with the recording.
     */
    public static final class LateListener {
        public static void main(String[] args) throws Exception {
            FlightRecorder.addListener(new FlightRecorderListener() {
                @Override
                public void recordingStateChanged(Recording recording) {
                    if (recording.getState() == RecordingState.RUNNING) {
                        Threads.pause(1_800);
                    }
                }
            });
            AgentsEvents.await();
            try (Recording recording = new Recording()) {
                recording.enable("dev.threadclock.ProcessCpuTime").withPeriod(Duration.ofSeconds(1));
                long[] burnt = new long[1];
                Thread thread = new Thread(() -> {
                    Burn.cpuNanos(2_500_000_000L);
                    burnt[0] = Burn.THREADS.getCurrentThreadCpuTime();
                });
                thread.start();
                recording.start();
                thread.join();
                Threads.pause(1_500);
                recording.dump(Paths.get(args[0]));
                System.out.println("burnt=" + burnt[0]);
            }
        }
    }

    @OnEachJdk
    void switchedOffThereAreNone(TestJdk jdk) throws Exception {
        Path file = folder.resolve("off.jfr");
        recording(jdk, file, ",settings=" + Used.settings(folder, THREADS, false, "1 s"))
                .run(Hello.class);
        assertThat(Used.inJfr(file).types()).doesNotContain(THREADS);
    }

    @OnEachJdk
    void withoutARecordingItsClassesAreNotLoaded(TestJdk jdk) {
        for (ChildJvm child : new ChildJvm[]{ChildJvm.of(jdk).withJavaAgent(""),
            ChildJvm.of(jdk).withAgentPath("")}) {
            Result result = child.with("-verbose:class").run(Hello.class);
            assertThat(result.out()).contains("java.lang.Object").doesNotContain(
                    "dev.threadclock.agent.jfr.CpuTimeEvents", "jdk.jfr.internal.PlatformRecorder");
        }
    }

    /** A library with this jar, or a link to one, beside it. */
    private List<String> typesWithJar(TestJdk jdk, boolean isLoaded, String... command) throws Exception {
        Path file = folder.resolve("jar.jfr");
        ChildJvm.exec((Object[]) command).end().exits(0);
        recording(ChildJvm.of(jdk).with("-agentpath:" + folder.resolve("libthreadclock.so")), file, "")
                .with("-Dawaits.events=" + isLoaded, "-Dwatched.millis=1200").run(PoolWork.class, folder)
                .ok();
        return Used.inJfr(file).types();
    }

    /** Others may write into a folder beside the library, and can change where their link leads. */
    @Test
    void onlyAJarOfThisVersionAndOfATrustedUserIsLoaded() throws Exception {
        TestJdk jdk = TestJdk.newest();
        Path jar = folder.resolve("threadclock-agent.jar");
        Path link = folder.resolve("link.jar");
        Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        Files.createSymbolicLink(link, Product.AGENT_JAR);
        assertThat(typesWithJar(jdk, false, "true")).as("no jar").doesNotContain(THREADS);
        assertThat(typesWithJar(jdk, false, "cp", "" + JarCopy.ofVersion(folder, "v0"), "" + jar))
                .as("of another version").doesNotContain(THREADS);
        assertThat(typesWithJar(jdk, true, "cp", "" + Product.AGENT_JAR, "" + jar)).contains(THREADS);
        assumeTrue(ChildJvm.exec("chown", "-h", "12345", jar, link).end().exitCode() == 0,
                "only root can give a file away");
        assertThat(typesWithJar(jdk, false, "true")).as("of another user").doesNotContain(THREADS);
        assertThat(typesWithJar(jdk, false, "mv", "" + link, "" + jar)).as("another user's link")
                .doesNotContain(THREADS);
        assertThat(typesWithJar(jdk, true, "chown", "-h", "0", "" + jar)).as("a trusted link")
                .contains(THREADS);
    }
}
