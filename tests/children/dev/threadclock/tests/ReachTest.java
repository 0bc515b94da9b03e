// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.command.machine.TickClock;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.ChangingLoad;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.Load;
import dev.threadclock.tests.child.ReachRefused;
import dev.threadclock.tests.child.ReachSwitching;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.io.TempDir;

/** reach=jvm: which function answers libjvm, and when. {@link ReachPeriodsTest} has what is recorded then. */
class ReachTest {
    static final String LOAD = "jdk.ThreadCPULoad";
    private static final String DIVIDES = "jvm: it divides the time itself, which is right;"
            + " reach=jvm changes nothing";
    private static final String RAW_TICKS = "jvm: it reads the VIRT clock, raw ticks; ";
    private static final String CORRECTABLE = RAW_TICKS + "reach=jvm corrects them";
    private static final String READS_PROC = "jvm: it reads /proc, which is right; reach=jvm changes nothing";
    private static final Map<TestJdk, String> ANSWERERS = new ConcurrentHashMap<>();

    @TempDir
    Path folder;

    private ChildJvm recording(TestJdk jdk, Path file, String period) throws IOException {
        String options = "dumponexit=true,filename=" + file + ",settings="
                + Used.settings(folder, LOAD, true, period);
        return ChildJvm.of(jdk).withClassPath(Product.JAR).with("-XX:StartFlightRecording=" + options);
    }

    @OnEachJdk
    void whileAsyncProfilerRunsItIsSwitchedOnAndOff(TestJdk jdk) throws Exception {
        assumeReadsVirt(jdk);
        assumeTrue(jdk.feature() < 28, "async-profiler 4.6 crashes JDK 28-ea, also without threadclock");
        Path library = CompanyTest.asyncProfiler(folder);
        Path profile = folder.resolve("profile");
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget(Load.class, "burners")) {
            String start = "start,event=ctimer,interval=1ms";
            for (String command : List.of(start, "stop", start, "stop,collapsed,file=" + profile)) {
                jvm.run("attach", "reach=jvm");
                assertAnswers(jvm, "threadclock");
                tellProfiler(jdk, jvm, library, command);
                assertAnswers(jvm, "threadclock");
                jvm.run("detach").exits(0);
                assertDetached(jvm);
            }
            assertThat(profile).content().contains("/Burn."); // of a thread that never rests
        }
    }

    private static void tellProfiler(TestJdk jdk, AttachJvm jvm, Path library, String command) {
        // The quotes are needed because jcmd takes a word with an equals sign as an option of its own.
        Result said = ChildJvm.exec(jdk.jdk().home() + "/bin/jcmd", jvm.pid(), "JVMTI.agent_load", library,
                '"' + command + '"').end();
        assertThat(said.out()).as(said.toString()).contains("return code: 0");
    }

    /** Flight Recorder looks at a thread for the last time after the thread's ThreadEnd event. */
    @OnEachJdk
    void noLoadIsNegative(TestJdk jdk) throws IOException {
        assumeConcerned(jdk);
        Path file = folder.resolve("changing.jfr");
        TickClock ticks = TickClock.learn();
        recording(jdk, file, "100 ms").withAgentPath("reach=jvm")
                .run(ChangingLoad.class, ticks.lengthNanos(), ticks.phaseNanos()).exits(0);
        List<RecordedEvent> events = Used.events(file, LOAD).stream()
                .filter(event -> event.getThread() != null
                        && "changer".equals(event.getThread().getJavaName()))
                .toList();
        assertThat(events).hasSizeGreaterThan(5).allSatisfy(event -> {
            assertThat(event.getDouble("user")).as("%s", event).isNotNegative();
            assertThat(event.getDouble("system")).as("%s", event).isNotNegative();
        });
    }

    /** Of the JDKs that read /proc, the installed ones suffice. */
    private static void assumeConcerned(TestJdk jdk) {
        if (!jdk.isThorough()) {
            assumeReadsVirt(jdk);
        }
    }

    static void assumeReadsVirt(TestJdk jdk) {
        assumeTrue(readsVirt(jdk), "the JVM reads /proc: the option changes nothing");
    }

    private static boolean readsVirt(TestJdk jdk) {
        return ANSWERERS.computeIfAbsent(jdk, ReachTest::answerer).equals("threadclock");
    }

    /**
     * Nothing crashes, no nanoTime decreases, and one word of libjvm is changed: in the end as well, because
     * Flight Recorder has read the threads through it.
     */
    @OnEachJdk
    void switchedOnAndOffWhileAllIsRead(TestJdk jdk) throws IOException {
        assumeConcerned(jdk);
        ChildJvm child = recording(jdk, folder.resolve("switching.jfr"), "20 ms");
        Result result = child.withNativeAccess()
                .run(ReachSwitching.class, CLibrary.assume("parity_helper"), Product.LIBRARY,
                        jdk.isThorough() ? "1000" : "300")
                .exits(0);
        long changed = readsVirt(jdk) ? 1 : 0; // words of libjvm
        result.has("backwards", 0).has("thrown", 0).has("changed", changed).has("left", changed);
    }

    @OnEachJdk
    void whereMprotectIsRefusedOrHotSpotDividesNothingChanges(TestJdk jdk) throws IOException {
        assumeReadsVirt(jdk);
        Path report = Files.createFile(folder.resolve("report"));
        Result result = ChildJvm.of(jdk).with("--enable-native-access=ALL-UNNAMED").run(ReachRefused.class,
                CLibrary.assume("parity_helper"), Product.LIBRARY, report).ok();
        assertThat(result.out().lines().map(line -> line.replaceAll("the page.*?filter\\?\\)", "...")))
                .containsExactly(
                        "bean: 0; " + CORRECTABLE + "; ok",
                        "refused: 0; " + RAW_TICKS
                                + "not corrected because ...; error: reach=jvm is not possible here:"
                                + " ...; leave it out, and threadclock answers ThreadMXBean alone",
                        "jvm: 1; threadclock; ok",
                        "kept: 1; jvm, called by threadclock; ok",
                        "again: 1; threadclock; ok",
                        "kept again: 1; jvm, called by threadclock; ok",
                        "third: 1; threadclock; ok",
                        "VIRT: 1; threadclock; 1",
                        "PROF: 1; " + DIVIDES + "; 1",
                        "VIRT again: 1; " + DIVIDES + "; 1",
                        "fourth: 1; " + DIVIDES + "; ok",
                        "detached: 0; " + DIVIDES + "; ok");
    }

    /** Another library puts its clock_gettime before glibc's. */
    @OnEachJdk
    void whereAnotherLibraryAnswersClockGettimeItIsRefused(TestJdk jdk) {
        assumeReadsVirt(jdk);
        Supplier<ChildJvm> child = () -> ChildJvm.of(jdk).withEnvironment("LD_PRELOAD",
                CLibrary.assume("other_clock"));
        Result without = child.get().run(Hello.class);
        Result with = child.get().withAgentPath("reach=jvm").run(Hello.class);
        assertThat(with.exitCode()).isEqualTo(without.exitCode());
        assertThat(with.out()).isEqualTo(without.out());
        assertThat(with.errLines()).satisfiesExactly(
                line -> assertThat(line).startsWith("threadclock: reach=jvm is not possible here")
                        .contains("libother_clock.so", "leave it out"),
                line -> assertThat(line).isEqualTo("this is stderr"));
        assertThat(child.get().withAgentPath("").run(Hello.class).errLines())
                .as("of what nobody asked for").containsExactly("this is stderr");
        assertThat(answerer(child.get().withAgentPath("log=stderr")))
                .startsWith(RAW_TICKS + "not corrected because").contains("libother_clock.so");
        child.get().withAgentPath("reach=jvm").run(Active.class).has("active", true);
    }

    /** The command line switches it from outside. */
    @OnEachJdk
    void attachStatusAndDetachSayWhoAnswers(TestJdk jdk) {
        boolean virt = readsVirt(jdk);
        String reach = "bean";
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget()) {
            for (String options : List.of("freshness=tick", "reach=jvm", "freshness=now", "reach=bean",
                    "freshness=tick", "reach=jvm")) {
                reach = options.startsWith("reach=") ? options.replaceFirst("reach=", "") : reach;
                Result attach = jvm.run("attach", options).exits(0);
                assertThat(attach.out().contains("Flight Recorder, is answered by " + READS_PROC))
                        .isEqualTo(!virt && options.equals("reach=jvm"));
                Json status = jvm.status();
                assertThat(status.text("reach")).isEqualTo(reach);
                assertThat(status.text("libjvm_user_time"))
                        .isEqualTo(!virt ? READS_PROC : reach.equals("jvm") ? "threadclock" : CORRECTABLE);
            }
            jvm.run("detach").ok();
            if (virt) {
                assertDetached(jvm);
            } else {
                assertAnswers(jvm, READS_PROC);
            }
        }
    }

    /** A read by the JVM's own native, under way during the attach, may have reached threadclock's clock. */
    private static void assertDetached(AttachJvm jvm) {
        Json status = jvm.status();
        boolean unseen = status.number("libjvm_answered") == 0;
        assertThat(status.text("libjvm_user_time")).as("%s", status)
                .isIn(CORRECTABLE, unseen ? CORRECTABLE : "jvm, called by threadclock");
    }

    private static void assertAnswers(AttachJvm jvm, String answerer) {
        assertThat(jvm.status().text("libjvm_user_time")).isEqualTo(answerer);
    }

    /** With the jar's agent as with the library, unless it is refused. */
    @OnEachJdk
    void atTheStartLibjvmIsAnsweredByDefault(TestJdk jdk) {
        boolean virt = readsVirt(jdk);
        for (String options : List.of("log=stderr", "reach=jvm,log=stderr", "reach=bean,log=stderr")) {
            String answerer = !virt ? READS_PROC
                    : options.startsWith("reach=bean") ? CORRECTABLE : "threadclock";
            assertThat(answerer(ChildJvm.of(jdk).withAgentPath(options))).as(options).isEqualTo(answerer);
            assertThat(answerer(ChildJvm.of(jdk).withJavaAgent(options))).as(options).isEqualTo(answerer);
        }
    }

    /** What answers libjvm by default. */
    private static String answerer(TestJdk jdk) {
        return answerer(ChildJvm.of(jdk).withAgentPath("log=stderr"));
    }

    private static String answerer(ChildJvm child) {
        Result result = child.run(Hello.class);
        return result.errLines().stream().filter(line -> line.contains("libjvm")).findFirst().orElseThrow()
                .replaceAll(".*is answered by: ", "");
    }
}
