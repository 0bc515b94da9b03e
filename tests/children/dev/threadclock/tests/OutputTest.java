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

    @OnEachJdk
    void agentpathAddsNothing(TestJdk jdk) {
        assertSame(ChildJvm.of(jdk).withAgentPath("").run(Hello.class), ChildJvm.of(jdk).run(Hello.class));
    }

    @OnEachJdk
    void agentpathAddsNothingUnderXcheckJni(TestJdk jdk) {
        assertSame(ChildJvm.of(jdk).with("-Xcheck:jni").withAgentPath("").run(Hello.class),
                ChildJvm.of(jdk).with("-Xcheck:jni").run(Hello.class));
    }

    @OnEachJdk
    void metricsAddNothingUnderXcheckJni(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm
                .start(ChildJvm.of(jdk).with("-Xcheck:jni").withAgentPath("prometheus=0"))) {
            assertThat(Scrape.answers(PrometheusTest.served(jvm))).isTrue();
            assertThat(jvm.said()).doesNotContainIgnoringCase("threadclock");
        }
    }

    @OnEachJdk
    void javaagentAddsNothingUnderXcheckJni(TestJdk jdk) {
        // The JVM's own instrumentation library causes findings, too: compares only those that name us.
        Result with = ChildJvm.of(jdk).with("-Xcheck:jni").withJavaAgent("").run(Hello.class);
        assertThat(with.out() + with.err()).doesNotContainIgnoringCase("threadclock");
        assertThat(with.exitCode()).isEqualTo(3);
    }

    @OnEachJdk
    void javaagentAddsNothingOnceNativeAccessIsEnabled(TestJdk jdk) {
        assertSame(ChildJvm.of(jdk).withJavaAgent("").run(Hello.class), ChildJvm.of(jdk).run(Hello.class));
    }

    @OnEachJdk
    void javaagentAddsNoMoreThanTheJvmsOwnWarning(TestJdk jdk) {
        Result without = ChildJvm.of(jdk).run(Hello.class);
        Result with = ChildJvm.of(jdk).withPlainJavaAgent(Product.AGENT_JAR, "").run(Hello.class);
        if (!jdk.warnsOfNativeAccess()) {
            assertSame(with, without);
            return;
        }
        assertThat(with.out()).isEqualTo(without.out());
        assertThat(with.exitCode()).isEqualTo(without.exitCode());
        List<String> expected = new ArrayList<>(Documented.output("javaagent 24"));
        expected.add("this is stderr");
        assertThat(Documented.printed(with.errLines())).isEqualTo(expected);
    }

    @OnEachJdk
    void theCommandsJarIsNoAgentAndNamesTheOnesThatAre(TestJdk jdk) {
        Result result = ChildJvm.of(jdk).withJavaAgent(Product.JAR, "").run(Hello.class);
        assertThat(result.out()).isEqualTo("hello\n");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.errLines()).hasSize(2).first().asString().startsWith("threadclock: ")
                .contains("-agentpath:libthreadclock.so", "-javaagent:threadclock-agent.jar");
    }

    @OnEachJdk
    void bothWaysOfLoadingAtOnceLoadOneAgent(TestJdk jdk) {
        assertSame(ChildJvm.of(jdk).withAgentPath("").withJavaAgent("").run(Hello.class),
                ChildJvm.of(jdk).run(Hello.class));
        assertThat(
                ChildJvm.of(jdk).withAgentPath("").withJavaAgent("").run(Active.class).ok().value("active"))
                .isEqualTo("true");
    }
}
