// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibrarySources;
import dev.threadclock.tests.child.Secured;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Under a security manager ThreadImpl's own checks remain, and the agent needs no further permissions. */
class SecurityManagerTest {
    private static final List<String> ANSWERS = List.of(
            "property: SecurityException", "all ids: SecurityException", "info: SecurityException",
            "switch off: SecurityException",
            "current: time", "own id: time", "another thread: time", "array: [time, time, -1]",
            "id 0: IllegalArgumentException");

    @TempDir
    Path folder;

    private Result runUnder(String policy, ChildJvm child, Class<?> program) throws Exception {
        Path file = Files.writeString(folder.resolve("policy"), policy);
        return child.with("-Djava.security.manager", "-Djava.security.policy==" + file).run(program).exits(0);
    }

    private Result run(ChildJvm child, String policy) throws Exception {
        Result result = runUnder(policy, child, Secured.class);
        assertThat(result.out().lines()).as(result.toString()).containsExactlyElementsOf(ANSWERS);
        return result;
    }

    private static List<String> saidByTheAgent(Result result) {
        // From JDK 12 on the JVM prints a warning about its security manager.
        return result.errLines().stream().filter(line -> !line.startsWith("WARNING: ")).toList();
    }

    @OnEachJdk(before = 24)
    void answersAreTheSameWithAndWithoutTheAgent(TestJdk jdk) throws Exception {
        String nothing = "grant { };";
        assertThat(saidByTheAgent(run(ChildJvm.of(jdk), nothing))).isEmpty();
        assertThat(saidByTheAgent(run(ChildJvm.of(jdk).withAgentPath(""), nothing))).isEmpty();
    }

    private Result runLibrary(TestJdk jdk, String policy) throws Exception {
        Result result = runUnder(policy, ChildJvm.of(jdk).withClassPath(Product.JAR), LibrarySources.class);
        result.has("other", true).assertNumber("user").isPositive();
        result.assertNumber("process").isPositive();
        assertThat(result.all("thread")).as(result.toString()).contains("main", "sleeper");
        return result;
    }

    @OnEachJdk(before = 24)
    void theLibraryWithoutPermissionsFallsBackAndSaysHowToGrantThem(TestJdk jdk) throws Exception {
        Result result = runLibrary(jdk, "grant { };");
        result.has("binding", "ThreadMXBean");
        assertThat(result.out())
                .contains("grant the jar with threadclock's classes java.security.AllPermission");
    }

    @OnEachJdk(before = 24)
    void theLibraryNeedsPermissionsForItsOwnJarOnly(TestJdk jdk) throws Exception {
        Result result = runLibrary(jdk,
                "grant codeBase \"file:" + Product.JAR + "\" { permission java.security.AllPermission; };");
        result.has("binding", "JNI");
        assertThat(saidByTheAgent(result)).isEmpty();
    }

    @OnEachJdk(before = 24)
    void javaagentNeedsPermissionsAndSaysSo(TestJdk jdk) throws Exception {
        String granted = "grant codeBase \"file:" + Product.AGENT_JAR
                + "\" { permission java.security.AllPermission; };";
        assertThat(saidByTheAgent(run(ChildJvm.of(jdk).withJavaAgent(""), granted))).isEmpty();
        assertThat(saidByTheAgent(run(ChildJvm.of(jdk).withJavaAgent(""), "grant { };"))).singleElement()
                .asString().startsWith("threadclock: ").contains("java.security.AllPermission", "-agentpath");
    }
}
