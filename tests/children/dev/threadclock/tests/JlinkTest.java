// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Idle;
import dev.threadclock.tests.child.Scraped;
import java.nio.file.Files;
import java.nio.file.Path;
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
        ChildJvm.exec(HOME + "/bin/jlink", "--add-modules", modules, "--output", made).end().exits(0);
        return made;
    }

    private static Result run(Path runtime, String... arguments) {
        return ChildJvm.exec(runtime + "/bin/java", "-jar", Product.JAR, arguments).end();
    }

    private static void assertRefused(Result result, String module) {
        AttachJvm.assertRefused(result, "needs the module " + module, "--add-modules " + module);
        assertThat(result.err()).doesNotContain("NoClassDefFoundError");
    }

    /** It has no ThreadMXBean, whose natives the agent answers. */
    private void assertTakesTheAgentAndRunsOn(Path base) throws Exception {
        Path go = folder.resolve("go");
        Running idle = ChildJvm.exec(base + "/bin/java", "-XX:+EnableDynamicAgentLoading", "-Xcheck:jni",
                "-cp", AttachJvm.CLASSES, Idle.class.getName(), go);
        idle.awaitOutput("ready\n");
        Json doctor = AttachJvm.command("doctor", "--json", idle.process().pid()).exits(0).json();
        assertThat(doctor.text("jvm.userTime.value")).isEqualTo("none");
        assertThat(doctor.text("jvm.userTime.todo")).isEmpty();
        assertThat(AttachJvm.command("attach", idle.process().pid()).exits(0).out())
                .contains("no ThreadMXBean to answer for").doesNotContain("answers user time");
        Files.createFile(go);
        assertThat(idle.end().ok().out()).isEqualTo("ready\nthere\n");
    }

    @Test
    void withoutAModuleACommandSaysWhichItNeeds() throws Exception {
        Path base = runtime("java.base");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            assertRefused(run(base, "record", "-d", "1s", "-o", folder + "/x.jfr", jvm.pid()), "jdk.jfr");
            assertRefused(run(base, "report", folder + "/x.jfr"), "jdk.jfr");
            assertThat(jvm.copies()).as("nothing was done").isZero();
            run(base, "attach", jvm.pid()).exits(0);
            run(base, "top", "--once", jvm.pid()).exits(0);
        }
        assertTakesTheAgentAndRunsOn(base);
    }

    @Test
    void commandsWorkWithTheModulesThatTheyName() {
        Path enough = runtime("jdk.jfr");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            run(enough, "top", "--once", jvm.pid()).exits(0);
            run(enough, "record", "-d", "1s", "-o", folder + "/x.jfr", jvm.pid()).exits(0);
            run(enough, "report", folder + "/x.jfr").exits(0);
        }
    }

    /** The server of the metrics needs no further modules than the agent itself. */
    @Test
    void metricsNeedNoFurtherModule() {
        Path least = runtime("java.base,java.instrument");
        Path log = folder.resolve("log");
        String agent = "-javaagent:" + Product.AGENT_JAR + "=prometheus=0,log=" + log;
        Result result = ChildJvm.exec(least + "/bin/java", agent, "-cp", ChildJvm.CLASSES,
                Scraped.class.getName(), log).end();
        assertThat(result.out()).as(result.toString()).isEqualTo("scraped\n");
    }
}
