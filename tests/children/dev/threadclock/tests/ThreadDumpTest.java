// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Idle;
import dev.threadclock.tests.child.OldThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If a JVM does not describe its data, TIDs of earlier threads are taken from a thread dump. */
class ThreadDumpTest {
    @TempDir
    Path folder;

    private static ChildJvm undescribed(TestJdk jdk) {
        assumeTrue(ParityHelper.library().isPresent(), ParityHelper.problem());
        ChildJvm child = ChildJvm.of(jdk).with("-agentpath:" + ParityHelper.library().get() + "=undescribed");
        return jdk.feature() >= 9 ? child.with("-XX:+EnableDynamicAgentLoading") : child;
    }

    @OnEachJdk
    void aThreadDumpTellsTheOldThreads(TestJdk jdk) throws Exception {
        Result result = attachInTheMiddle(undescribed(jdk).start(OldThreads.class, file()));
        assertThat(result.all("user")).as(result.toString()).isNotEmpty().containsOnly("burnt");
        assertThat(result.number("fine")).as("answered by the agent: %s", result)
                .isEqualTo(result.all("user").size());
        assertThat(result.value("doubt")).as("a line in another thread's name is not believed: %s", result)
                .isEqualTo("burnt");
    }

    /** When the JVM starts, only its first threads exist. */
    @OnEachJdk
    void nothingIsPrintedAtTheStart(TestJdk jdk) throws Exception {
        Files.createFile(Path.of(file()));
        Result result = undescribed(jdk).withAgentPath("").run(OldThreads.class, file()).ok();
        assertThat(result.out()).startsWith("ready\nuser=burnt\n");
    }

    @Test
    void withoutManagementTheJvmRunsOn() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"));
        assumeTrue(Files.exists(jdk.resolve("bin/jlink")) && Files.exists(jdk.resolve("jmods")),
                "no jlink, or no jmods, in " + jdk);
        assumeTrue(ParityHelper.library().isPresent(), ParityHelper.problem());
        Path image = folder.resolve("image");
        ChildJvm.start(
                List.of(jdk + "/bin/jlink", "--add-modules", "java.base", "--output", image.toString()),
                Map.of())
                .end().ok();
        Result result = attachInTheMiddle(
                ChildJvm.start(List.of(image + "/bin/java", "-XX:+EnableDynamicAgentLoading", "-Xcheck:jni",
                        "-agentpath:" + ParityHelper.library().get() + "=undescribed", "-cp",
                        AttachJvm.CLASSES.toString(),
                        Idle.class.getName(), file()), Map.of()));
        assertThat(result.out()).isEqualTo("ready\nthere\n");
    }

    private String file() {
        return folder.resolve("attached").toString();
    }

    /** Attaches to a child that is ready and lets it continue. It must end without output on stderr. */
    private Result attachInTheMiddle(Running child) throws IOException {
        while (child.process().isAlive() && !Files.readString(child.out()).startsWith("ready\n")) {
            AttachJvm.sleep(20);
        }
        Result attach = AttachJvm.command("attach", Long.toString(child.process().pid()));
        Files.createFile(Path.of(file()));
        Result result = child.end();
        assertThat(attach.exitCode()).as(attach + "\nto " + result).isZero();
        return result.ok();
    }
}
