// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Scraped;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line on runtimes made by jlink, which lack modules. */
class JlinkTest {
    private static final Path HOME = Path.of(System.getProperty("java.home"));

    @TempDir
    Path folder;

    private Path runtime(String modules) {
        assumeTrue(Files.isExecutable(HOME.resolve("bin/jlink")) && Files.isDirectory(HOME.resolve("jmods")),
                "no jlink or jmods in " + HOME);
        Path made = folder.resolve(modules);
        Result jlink = ChildJvm
                .start(List.of(HOME + "/bin/jlink", "--add-modules", modules, "--output", made.toString()),
                        Map.of())
                .end();
        assertThat(jlink.exitCode()).as(jlink.toString()).isZero();
        return made;
    }

    private static Result run(Path runtime, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(runtime + "/bin/java", "-jar", Product.JAR.toString()));
        command.addAll(List.of(arguments));
        return ChildJvm.start(command, Map.of()).end();
    }

    private static void assertRefused(Result result, String module) {
        AttachJvm.assertRefused(result, "needs the module " + module, "--add-modules " + module);
        assertThat(result.err()).doesNotContain("NoClassDefFoundError");
    }

    @Test
    void withoutAModuleACommandSaysWhichItNeeds() {
        Path base = runtime("java.base");
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.newest()))) {
            assertRefused(run(base, "record", "-d", "1s", "-o", folder + "/x.jfr", jvm.pid()), "jdk.jfr");
            assertRefused(run(base, "report", folder + "/x.jfr"), "jdk.jfr");
            assertThat(jvm.copies()).as("nothing was done").isZero();
            for (Result result : List.of(run(base, "attach", jvm.pid()),
                    run(base, "top", "--once", jvm.pid()))) {
                assertThat(result.exitCode()).as(result.toString()).isZero();
            }
        }
    }

    @Test
    void commandsWorkWithTheModulesThatTheyName() {
        Path enough = runtime("jdk.jfr");
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.newest()))) {
            for (Result result : List.of(run(enough, "top", "--once", jvm.pid()),
                    run(enough, "record", "-d", "1s", "-o", folder + "/x.jfr", jvm.pid()),
                    run(enough, "report", folder + "/x.jfr"))) {
                assertThat(result.exitCode()).as(result.toString()).isZero();
            }
        }
    }

    /** The server of the metrics needs no further modules than the agent itself. */
    @Test
    void metricsNeedNoFurtherModule() {
        Path least = runtime("java.base,java.instrument");
        Path log = folder.resolve("log");
        Result result = ChildJvm.start(List.of(least + "/bin/java", "-javaagent:" + Product.AGENT_JAR
                + "=prometheus=0,log=" + log, "-cp", ChildJvm.CLASSES.toString(), Scraped.class.getName(),
                log.toString()), Map.of()).end();
        assertThat(result.out()).as(result.toString()).isEqualTo("scraped\n");
    }
}
