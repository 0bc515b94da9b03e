// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Load;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The top command as scripts and people use it: which JVM, how often, in which format, and refusals. */
class TopTest {
    @AutoClose
    private static final AttachJvm JVM = start();

    static AttachJvm start() {
        return ChildJvm.of(TestJdk.newest()).withDynamicAgents().startTarget();
    }

    @Test
    void machineReadableFormsHaveAsManyIntervalsAsWanted() {
        String csv = JVM.run("top", "--csv", "-i", "0.1", "-n", "3", "--filter", "main").ok().out();
        assertThat(csv.lines().filter(line -> line.contains(",main,main,"))).hasSize(3);
        String json = JVM.run("top", "--json", "-i", "0.1", "-n", "2", "--group", "--sort", "name").ok()
                .out();
        assertThat(json.lines()).hasSize(2).allSatisfy(line -> assertThat(line).contains("\"pools\":["));
    }

    @Test
    void aJvmThatEndsBeforeAnythingIsShownIsAFailure() {
        for (String form : List.of("--frames", "--json")) {
            try (AttachJvm other = start()) {
                Thread end = new Thread(() -> {
                    other.await("a sampler", other::hasAgentsThread);
                    other.kill();
                });
                end.start();
                Result top = other.run("top", "--once", form, "-d", "60s").exits(1);
                assertThat(top.err()).contains("has ended");
                assertThat(top.out()).isEmpty();
            }
        }
    }

    @Test
    void withoutATerminalNoneOfSeveralJvmsIsChosen() {
        try (AttachJvm other = start()) {
            AttachJvm.assertRefused(AttachJvm.command("top", "AttachTarget", "--once"), JVM.label(),
                    other.label(), "process number");
        }
    }

    @Test
    void allCommandsUseTheSameOptions(@TempDir Path folder) {
        String csv = AttachJvm.command("top", "-p", JVM.pid(), "--csv", "-d", "200ms", "--duration", "1s",
                "--filter", "main").ok().out();
        assertThat(csv.lines().filter(line -> line.contains(",main,main,"))).hasSizeBetween(1, 5);
        AttachJvm.command("record", "-p", JVM.pid(), "-i", "200ms", "-d", "1s", "--timeout", "60s", "-o",
                folder + "/a.jfr").exits(0);
        for (String command : List.of("attach", "status", "detach")) {
            Result named = AttachJvm.command(command, "AttachTarget");
            assertThat(named.out() + named.err()).as("%s, found or one of several", command)
                    .contains(JVM.pid());
            assertThat(AttachJvm.command(command, "-p", JVM.pid()).out()).as(command).contains(JVM.pid());
        }
        assertThat(AttachJvm.command("attach", "-p", JVM.pid(), "freshness=now").ok().out())
                .contains(JVM.pid());
        AttachJvm.command("detach", "-p", JVM.pid()).ok();
    }

    @Test
    void onceCountsThoseThatHaveNotRun() {
        List<String> lines = JVM.run("top", "--once", "-i", "200ms").ok().outLines();
        assertThat(lines).anyMatch(line -> line.matches("and \\d+ that have not run; --all shows them"));
        assertThat(lines.get(0)).isEqualTo(JVM.label());
        assertThat(lines.get(3)).matches(" *TOTAL% +USER% +SYS% +WAIT% +TIME S +TID +THREAD");
        List<String> one = JVM.run("top", "--once", "-i", "200ms", "--all", "--rows", "1").ok().outLines();
        assertThat(one.get(5)).matches("and \\d+ more; --rows shows more");
        assertThat(JVM.run("top", "--csv", "-i", "200ms", "-n", "2", "--rows", "1").ok().out().lines())
                .as("with a head line").hasSize(3);
        Result old = JVM.run("top", "--once", "-n", "3").exits(2);
        assertThat(old.err()).contains("--rows 3");
        assertThat(JVM.run("top", "-d", "5x").exits(2).err()).as("as it was given").contains("option '-d'");
        assertThat(JVM.run("top", "--timeout", "5s", "-d").exits(2).err()).as("no value")
                .contains("option '-d'");
    }

    /** The kernel says which thread has run: on a busy machine none may get a CPU. */
    @Test
    void onceShowsOnlyThoseThatHaveRun() {
        try (AttachJvm load = ChildJvm.of(TestJdk.newest()).withDynamicAgents().startTarget(Load.class,
                "burners", "sleepers=1")) {
            Json threads = Json.of(load.run("top", "--json", "-i", "100ms", "-n", "1").ok().out());
            Json burner = SamplerTest.named(threads, "a user burner whose name is long");
            Json sleeper = SamplerTest.named(threads, "sleeper-0");
            long began = System.nanoTime();
            long burnt = -load.runNanos(burner);
            long slept = -load.runNanos(sleeper);
            List<String> lines = load.run("top", "--once", "-i", "2s").ok().outLines();
            burnt += load.runNanos(burner);
            slept += load.runNanos(sleeper);
            // More than in all the time but one of the two seconds.
            boolean burntLong = burnt > System.nanoTime() - began - 1_000_000_000;
            assumeTrue(slept == 0 || burntLong, "the machine is too busy to know who ran");
            if (slept == 0) {
                assertThat(lines).noneMatch(line -> line.endsWith("  sleeper-0"));
            }
            if (burntLong) {
                assertThat(lines).filteredOn(line -> line.endsWith("  " + burner.text("name"))).hasSize(1);
            }
        }
    }

    /** Starts and ends of threads come with the samples, not besides. */
    @Test
    void threadsThatComeAndGoAreNoFlood() {
        try (AttachJvm load = ChildJvm.of(TestJdk.newest()).withDynamicAgents().startTarget(Load.class,
                "starts=500")) {
            String csv = load.run("top", "--csv", "-i", "100ms", "-n", "30", "--filter", "main").ok().out();
            assertThat(csv.lines().filter(line -> line.contains(",main,main,"))).hasSize(30);
        }
    }

    @Test
    void framesHaveTheirLines() {
        List<String> lines = JVM.run("top", "--once", "-i", "200ms", "--rows", "99", "--all", "--frames")
                .ok().outLines();
        int main = IntStream.range(0, lines.size()).filter(i -> lines.get(i).endsWith("  main"))
                .findFirst().orElseThrow();
        assertThat(lines.get(main + 1)).matches(" +runnable in \\d+ of \\d+ samples; .*:");
        assertThat(lines.get(main + 2)).as("a native method has no line")
                .matches(".*\\(Native Method\\)|.*:\\d+\\)");
        List<String> frames = lines.subList(main + 2, lines.size()).stream()
                .takeWhile(line -> line.matches("    (at| *\\d+ % +\\d+ %) .*")).toList();
        String own = " +(at|\\d+ % +\\d+ % ) dev\\.threadclock\\.tests\\.child\\.AttachTarget"
                + "\\.main\\(AttachTarget\\.java:\\d+\\)";
        assertThat(frames).as("its own, or deep in what it calls")
                .matches(all -> all.size() == 10 || all.stream().anyMatch(line -> line.matches(own)));
    }
}
