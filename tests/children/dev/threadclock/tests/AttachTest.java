// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.SoakTest.Sample;
import dev.threadclock.tests.child.AttachTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What attach, status and detach change in running JVMs, what they print, and that nothing else changes. */
class AttachTest {
    private static final int TIMES = 30;
    private static final String JVM = "jvm, called by threadclock";

    @TempDir
    Path folder;

    private static boolean warns(TestJdk jdk) {
        return jdk.feature() >= 21;
    }

    @OnEachJdk
    void attachTakesOverAndDetachGivesBack(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget()) {
            assertThat(jvm.run("status").ok().out())
                    .isEqualTo("threadclock is not loaded in " + jvm.label() + "\n");
            assertThat(jvm.status().isTrue("loaded")).isFalse();
            assertThat(jvm.run("detach").ok().out()).contains("not loaded");
            assertThat(jvm.said()).as("a look from outside").isEmpty();

            Result attach = jvm.run("attach").exits(0);
            assertThat(attach.out())
                    .matches("threadclock \\S+ answers user time in \\Q" + jvm.label() + "\\E\nIn force:"
                            + " freshness=tick,total=jvm,reach=bean,virtual=off,prometheus=off,log=none,"
                            + "strict=off\n");
            assertThat(attach.errLines()).hasSize(warns(jdk) ? 1 : 0)
                    .allMatch(line -> line.contains("JEP 451") && line.contains("first agent may crash it"));

            Json status = jvm.status();
            assertThat(status.isTrue("loaded")).isTrue();
            assertThat(status.text("active")).isEqualTo("yes");
            assertThat(status.text("bound.getThreadUserCpuTime0")).isEqualTo("threadclock");
            assertThat(jvm.run("status").ok().out()).contains(jvm.label(), "getThreadUserCpuTime0",
                    "threadclock");

            assertThat(jvm.run("detach").ok().out()).contains(jvm.label());
            Json detached = jvm.status();
            assertThat(detached.text("active")).isEqualTo("no");
            assertThat(detached.text("bound.getThreadUserCpuTime0")).isEqualTo(JVM);
            assertThat(detached.text("bound.getThreadTotalCpuTime0")).isEqualTo("jvm");

            assertThat(jvm.run("attach").ok().out()).contains("answers user time");
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            assertThat(jvm.copies()).isEqualTo(1);
            assertThat(OutputTest.asDocumented(jvm.said().lines().toList()))
                    .isEqualTo(warns(jdk) ? OutputTest.documented("attach 21") : List.of());
        }
    }

    @OnEachJdk(from = 9)
    void withDynamicLoadingAllowedNothingIsPrinted(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-XX:+EnableDynamicAgentLoading").startTarget()) {
            for (String options : List.of("", "total=interpolated", "freshness=now")) {
                jvm.run("attach", options).ok();
                jvm.run("detach").ok();
            }
            assertThat(jvm.said()).isEmpty();
        }
    }

    @Test
    void anAttachSetsWhatItNamesAndKeepsTheRest() {
        TestJdk jdk = TestJdk.newest();
        String virtual = jdk.feature() >= 21 ? "now" : "off";
        try (AttachJvm jvm = ChildJvm.of(jdk).withAgentPath("reach=bean,freshness=now,virtual=" + virtual)
                .startTarget()) {
            for (String options : List.of("total=tick", "", "log=" + folder + "/log")) {
                assertThat(jvm.run("attach", options).exits(0).out()).contains("In force: freshness=now,"
                        + "total=tick,reach=bean,virtual=" + virtual + ",prometheus=off,log=");
            }
            jvm.run("detach").exits(0);
            assertThat(jvm.run("attach", "freshness=tick").exits(0).out())
                    .contains("freshness=tick,total=tick,"
                            + "reach=bean,virtual=" + virtual + ",prometheus=off,log=" + folder
                            + "/log,strict=off\n");
        }
    }

    @OnEachJdk
    void aJvmWithoutCountersCanBeAttachedTo(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-XX:-UsePerfData").startTarget()) {
            jvm.run("attach").exits(0);
            assertThat(jvm.answerer()).isEqualTo("threadclock");
        }
    }

    /** Signalled too early, it would listen, and then remove its socket's file as a stale one. */
    @OnEachJdk
    void aJvmThatIsBeingCreatedIsAskedLater(TestJdk jdk) {
        assumeFalse(jdk.isForMusl(), "what delays it is compiled for glibc");
        for (String counters : List.of("-XX:+UsePerfData", "-XX:-UsePerfData")) {
            try (Running jvm = ChildJvm.of(jdk).with(counters)
                    .withEnvironment("LD_PRELOAD", CLibrary.assume("late_vm_start"))
                    .start(AttachTarget.class)) {
                Path maps = Path.of("/proc", Long.toString(jvm.process().pid()), "maps");
                jvm.await("libjvm", () -> Files.readString(maps).contains("libjvm.so"));
                AttachJvm.command("attach", jvm.process().pid()).exits(0);
            }
        }
    }

    @OnEachJdk
    void aJvmThatADebuggerHoldsAtItsStartAnswers(TestJdk jdk) {
        try (Running jvm = ChildJvm.of(jdk)
                .with("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0")
                .start(AttachTarget.class)) {
            jvm.awaitOutput("Listening");
            AttachJvm.command("attach", jvm.process().pid()).exits(0);
        }
    }

    @OnEachJdk
    void theCopyOfAgentpathIsTheOneThatIsReached(TestJdk jdk) throws Exception {
        Path library = Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-agentpath:" + library).startTarget()) {
            Files.delete(library);
            Files.copy(Product.LIBRARY, library); // as an update does
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            jvm.run("detach").ok();
            assertThat(jvm.answerer()).isEqualTo(JVM);
            jvm.run("attach", "freshness=tick").ok();
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            assertThat(jvm.copies()).isEqualTo(1);
            assertThat(jvm.said()).isEmpty();
        }
    }

    @OnEachJdk
    void aCopyOfAgentpathWithAnotherNameIsRecognized(TestJdk jdk) throws Exception {
        Path library = Files.copy(Product.LIBRARY, folder.resolve("libagent.so"));
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-agentpath:" + library + "=freshness=tick")
                .startTarget()) {
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            jvm.run("detach").ok();
            assertThat(jvm.answerer()).isEqualTo(JVM);
            jvm.run("attach", "freshness=now").ok();
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            assertThat(jvm.copies()).as("of another copy").isZero();
            assertThat(jvm.said()).isEmpty();
        }
    }

    @OnEachJdk
    void aCopyThatCannotBeReachedIsLeftAlone(TestJdk jdk) throws Exception {
        assumeFalse(jdk.isForMusl(), "with musl it can be reached");
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        Path library = Files.copy(Product.LIBRARY, real.resolve("libthreadclock.so"));
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-agentpath:" + link.resolve("libthreadclock.so"))
                .startTarget()) {
            Files.delete(library);
            Files.copy(Product.LIBRARY, library);
            AttachJvm.assertRefused(jvm.run("detach"), "another file", "restart");
            assertThat(jvm.copies()).isEqualTo(1);
        }
    }

    @OnEachJdk
    void theCopyOfJavaagentIsTheOneThatIsReached(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withJavaAgent("").withAgentPath("").startTarget()) {
            assertThat(jvm.copies()).as("one of each way in").isEqualTo(2);
            assertThat(jvm.answerer()).as("found by a probe").isEqualTo("threadclock");
            jvm.run("detach").exits(0);
            assertThat(jvm.answerer()).isEqualTo(JVM);
            assertThat(jvm.copies()).isEqualTo(2);
        }
    }

    @Test
    void aMistakeInTheOptionsIsReportedByTheCommandNotByTheJvm() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            String before = jvm.said();
            AttachJvm.assertRefused(jvm.run("attach", "log=/nonexistent/folder/log"));
            AttachJvm.assertRefused(jvm.run("attach", "log=/tmp/" + "x".repeat(1100)), "1024 bytes");
            for (String options : List.of("freshness=never", "speed=high", "x".repeat(900))) {
                Result result = jvm.run("attach", options).exits(2);
                assertThat(result.err()).contains("option '");
            }
            assertThat(before).isEmpty();
            assertThat(jvm.said()).doesNotContain("threadclock: ");
        }
    }

    @Test
    void twoAttachesAtOnceCauseNoThreadDump() {
        for (int round = 0; round < 3; round++) {
            try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
                List<Running> both = List.of(AttachJvm.startCommand(List.of(), "attach", jvm.pid()),
                        AttachJvm.startCommand(List.of(), "attach", jvm.pid()));
                assertThat(both.stream().map(Running::end).toList()).as("one of them")
                        .anyMatch(result -> result.exitCode() == 0);
                assertThat(jvm.said()).doesNotContain("Full thread dump");
            }
        }
    }

    /** Of the target: open files and mappings of files; of the process that runs the commands: open files. */
    @Test
    void manyTimesLeaveNothingBehind() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            attachAndDetach(jvm);
            String commands = CommandServer.pid();
            long files = openFiles(jvm.pid());
            long maps = Sample.of(jvm.pid()).maps();
            long commandsFiles = openFiles(commands);
            for (int i = 1; i < TIMES; i++) {
                attachAndDetach(jvm);
            }
            assertThat(CommandServer.pid()).as("the process that runs the commands").isEqualTo(commands);
            awaitFiles(jvm, jvm.pid(), files);
            awaitFiles(jvm, commands, commandsFiles);
            assertThat(Sample.of(jvm.pid()).maps()).as("mappings").isEqualTo(maps);
        }
    }

    private static void attachAndDetach(AttachJvm jvm) {
        for (String command : List.of("attach", "detach")) {
            jvm.run(command).exits(0);
        }
    }

    /** What has leaked never goes; but the JVM closes a connection a moment after its answer. */
    private static void awaitFiles(AttachJvm jvm, String pid, long most) {
        jvm.await("at most " + most + " open files of " + pid, () -> Sample.of(pid).files() <= most);
    }

    /** The lowest number in half a second, as above. */
    private static long openFiles(String pid) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            least = Math.min(least, Sample.of(pid).files());
            AttachJvm.sleep(25);
        }
        return least;
    }
}
