// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo as users run it: arguments and figures are right, and nothing remains when it is stopped. */
class DemoTest {
    @TempDir
    Path folder;

    private Running start(Object... arguments) throws Exception {
        Path tmp = Files.createDirectories(folder.resolve("tmp"));
        return ChildJvm.exec("env", "TMPDIR=" + tmp, System.getProperty("java.home") + "/bin/java",
                "-Djava.io.tmpdir=" + tmp, "-jar", Product.JAR, arguments);
    }

    private Result run(Object... arguments) throws Exception {
        return start(arguments).end();
    }

    private List<Path> left() throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void theVersionIsThatOfTheLibrary() throws Exception {
        assertThat(run("--version").ok().out())
                .contains(Files.readString(Product.ROOT.resolve("native/include/threadclock.h"))
                        .replaceAll("(?s).*#define THREADCLOCK_VERSION \"([^\"]+)\".*", "$1"));
    }

    @OnEachJdk(thorough = true)
    void figuresAreSane(TestJdk jdk) throws Exception {
        Path markdown = folder.resolve("table.md");
        Result result = run("demo", "--quick", "--jdk", jdk.jdk().home(), "--json", "-", "--markdown",
                markdown).exits(0);
        assertThat(result.json().all("jdks")).hasSize(1);
        Json measured = result.json().at("jdks.0");
        assertThat(measured.text("version")).isEqualTo(jdk.jdk().version());
        for (String child : List.of("before", "with")) {
            for (String what : List.of(child + ".user", child + ".nanoTime", child + ".cpu")) {
                assertThat(median(measured, what)).as(what).isBetween(0.5, 1e6);
            }
            for (String what : List.of(child + ".aroundTicks", child + ".betweenTicks")) {
                assertThat(measured.number(what + ".cpuNanos")).as(what).isPositive();
            }
        }
        // This holds however busy the machine is: the old path makes at least one system call, ours none.
        assertThat(median(measured, "with.user")).isLessThan(median(measured, "before.user"));
        assertThat(Files.readString(markdown)).containsOnlyOnce("| **JDK " + jdk.jdk().version());
        assertThat(left()).containsExactly(markdown);
    }

    private static double median(Json measured, String what) {
        return Double.parseDouble(measured.text(what + ".medianNanos"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"INT", "TERM"})
    void aSignalLeavesNoChildAndNoFile(String signal) throws Exception {
        Running demo = start("demo", "--jdk", TestJdk.newest().jdk().home(), "--markdown",
                folder.resolve("table.md"));
        demo.await("a child that measures", () -> !measuring(demo).isEmpty());
        AttachJvm.sleep(1000); // it measures for a while
        List<ProcessHandle> children = measuring(demo);
        ChildJvm.exec("kill", "-" + signal, demo.process().pid()).end().exits(0);
        Result result = demo.end();
        result.exits(signal.equals("INT") ? 130 : 143);
        for (ProcessHandle child : children) {
            child.onExit().get(1, TimeUnit.MINUTES);
        }
        assertThat(left()).isEmpty();
        assertThat(result.err()).doesNotContain("\tat ", "Exception");
    }

    /** Its children, except JVMs that are asked for their version. */
    private static List<ProcessHandle> measuring(Running demo) {
        return demo.process().descendants().filter(child -> child.info().commandLine().orElse("")
                .contains("dev.threadclock.command.probe")).toList();
    }
}
