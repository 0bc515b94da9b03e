// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.Hello;
import java.util.ArrayList;
import java.util.List;

/** The agent prints nothing unasked: a program's output and exit code are the same with and without it. */
class OutputTest {
    private static void assertSame(Result with, Result without) {
        assertThat(with.out()).isEqualTo(without.out());
        assertThat(with.err()).isEqualTo(without.err());
        assertThat(with.exitCode()).isEqualTo(without.exitCode());
        assertThat(without.exitCode()).as("the program itself ran").isEqualTo(3);
    }

    /** The lines below {@code <!-- output: NAME -->} in docs/installing.md, without empty ones. */
    static List<String> documented(String name) {
        String page = AttachJvm.read(Product.ROOT.resolve("docs/installing.md"));
        String block = page.split("<!-- output: " + name + " -->\\s*```\n", 2)[1].split("```", 2)[0];
        return block.lines().filter(line -> !line.isEmpty()).toList();
    }

    /** Printed lines. Names that differ from run to run are replaced as in the page. */
    static List<String> asDocumented(List<String> lines) {
        return lines.stream().filter(line -> !line.isEmpty())
                .map(line -> line.replaceAll("\\(file:/[^)]*\\.jar\\)", "(file:JAR)")
                        .replaceAll("\\(/[^)]*\\.so\\)", "(LIBRARY)"))
                .toList();
    }

    private static ChildJvm checked(TestJdk jdk) {
        return ChildJvm.of(jdk).with("-Xcheck:jni");
    }

    /** Both ways of loading at once load one agent. */
    @OnEachJdk
    void theAgentAddsNothing(TestJdk jdk) {
        Result without = ChildJvm.of(jdk).run(Hello.class);
        ChildJvm both = ChildJvm.of(jdk).withAgentPath("").withJavaAgent("");
        assertSame(ChildJvm.of(jdk).withAgentPath("").run(Hello.class), without);
        assertSame(ChildJvm.of(jdk).withJavaAgent("").run(Hello.class), without);
        assertSame(both.run(Hello.class), without);
        both.run(Active.class).ok().has("active", true);
        assertSame(checked(jdk).withAgentPath("").run(Hello.class), checked(jdk).run(Hello.class));
    }

    @OnEachJdk
    void metricsAddNothingUnderXcheckJni(TestJdk jdk) {
        try (AttachJvm jvm = checked(jdk).withAgentPath("prometheus=0").startTarget()) {
            assertThat(Scrape.answers(PrometheusTest.served(jvm))).isTrue();
            assertThat(jvm.said()).doesNotContainIgnoringCase("threadclock");
        }
    }

    @OnEachJdk
    void javaagentAddsNothingUnderXcheckJni(TestJdk jdk) {
        // The JVM's own instrumentation library causes findings, too: compares only those that name us.
        Result with = checked(jdk).withJavaAgent("").run(Hello.class).exits(3);
        assertThat(with.out() + with.err()).doesNotContainIgnoringCase("threadclock");
    }

    @OnEachJdk(from = 24)
    void javaagentAddsNoMoreThanTheJvmsOwnWarning(TestJdk jdk) {
        Result without = ChildJvm.of(jdk).run(Hello.class);
        Result with = ChildJvm.of(jdk).withPlainJavaAgent(Product.AGENT_JAR, "").run(Hello.class)
                .exits(without.exitCode());
        assertThat(with.out()).isEqualTo(without.out());
        List<String> expected = new ArrayList<>(documented("javaagent 24"));
        expected.add("this is stderr");
        assertThat(asDocumented(with.errLines())).isEqualTo(expected);
    }

    @OnEachJdk
    void theCommandsJarIsNoAgentAndNamesTheOnesThatAre(TestJdk jdk) {
        Result result = ChildJvm.of(jdk).withJavaAgent(Product.JAR, "").run(Hello.class).exits(3);
        assertThat(result.out()).isEqualTo("hello\n");
        assertThat(result.errLines()).hasSize(2).first().asString().startsWith("threadclock: ")
                .contains("-agentpath:libthreadclock.so", "-javaagent:threadclock-agent.jar");
    }
}
