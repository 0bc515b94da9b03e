// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.Hello;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The agent's options have their effects, and a mistake in them costs one line and nothing else. */
class OptionsTest {
    private static final Map<TestJdk, Result> WITHOUT = new ConcurrentHashMap<>();

    @TempDir
    Path folder;

    /** What a JVM without the agent does: each time the same. */
    private static Result without(TestJdk jdk) {
        return WITHOUT.computeIfAbsent(jdk, each -> ChildJvm.of(each).run(Hello.class));
    }

    /** A way of loading the agent into a child. */
    interface Door extends BiFunction<ChildJvm, String, ChildJvm> {}

    static Stream<Arguments> doors() {
        return TestJdk.of("OptionsTest").flatMap(jdk -> Stream.of(
                Arguments.of(jdk, named("agentpath", (Door) ChildJvm::withAgentPath)),
                Arguments.of(jdk, named("javaagent", (Door) ChildJvm::withJavaAgent))));
    }

    /** One of each kind; native/test/options_test.c has the others. */
    static Stream<Arguments> mistakes() {
        return doors().flatMap(door -> Stream
                .of("freshness=never", "freshness=now,log=/nonexistent/folder/log",
                        "prometheus=localhost:9464", "prometheus=" + Host.IN_USE.getLocalPort(),
                        "x".repeat(5000))
                .filter(options -> ((TestJdk) door.get()[0]).isThorough()
                        || options.equals("freshness=never"))
                .map(options -> Arguments.of(door.get()[0], door.get()[1],
                        named(options.length() > 60 ? "5000 letters" : options, options))));
    }

    @ParameterizedTest(name = "{2}, {1}, {0}")
    @MethodSource("mistakes")
    void aMistakeCostsOneLineAndNothingElse(TestJdk jdk, Door door, String options) {
        Result without = without(jdk);
        Result with = door.apply(ChildJvm.of(jdk), options).run(Hello.class);
        assertThat(with.exitCode()).isEqualTo(without.exitCode());
        assertThat(with.out()).isEqualTo(without.out());
        assertThat(with.errLines()).satisfiesExactly(
                line -> assertThat(line).startsWith("threadclock: ").hasSizeLessThan(1700),
                line -> assertThat(line).isEqualTo("this is stderr"));
        assertThat(door.apply(ChildJvm.of(jdk), options).run(Active.class).value("active"))
                .as("what is not mistaken works").isEqualTo("true");
        assertThat(door.apply(ChildJvm.of(jdk), "strict=on," + options).run(Active.class).value("active"))
                .as("the JVM runs as without the agent").isEqualTo("false");
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("doors")
    void aMistakeThatPreventsAStartDoesNotPreventALaterOne(TestJdk jdk, Door door) {
        ChildJvm child = door.apply(door.apply(ChildJvm.of(jdk), "strict=on,freshness=never"),
                "freshness=now");
        Result result = child.run(Active.class);
        assertThat(result.errLines()).singleElement().asString().contains("'freshness=never'");
        result.has("active", true);
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("doors")
    void logToAFileIsAppended(TestJdk jdk, Door door) throws Exception {
        Path log = folder.resolve("log");
        Files.writeString(log, "what was there\n");
        ChildJvm child = door.apply(ChildJvm.of(jdk), "log=" + log + ",freshness=tick");
        child.run(Active.class).ok().has("active", true);
        assertThat(Files.readAllLines(log)).hasSizeGreaterThan(1).startsWith("what was there")
                .filteredOn(line -> !line.startsWith("threadclock: ")).hasSize(1);
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("doors")
    void logToStderr(TestJdk jdk, Door door) {
        Result with = door.apply(ChildJvm.of(jdk), "log=stderr").run(Hello.class);
        assertThat(with.out()).isEqualTo(without(jdk).out());
        assertThat(with.errLines()).hasSizeGreaterThan(1)
                .filteredOn(line -> !line.startsWith("threadclock: "))
                .containsExactly("this is stderr");
    }

    @OnEachJdk
    void virtualThreadsThatCannotBeAccountedForCostOneLine(TestJdk jdk) {
        boolean none = jdk.feature() < 21;
        ChildJvm child = none ? ChildJvm.of(jdk)
                : ChildJvm.of(jdk).with("-XX:+UnlockExperimentalVMOptions",
                        "-XX:-DoJVMTIVirtualThreadTransitions", "-Dthreadclock.switches=events");
        Result result = child.withAgentPath("virtual=on").run(Hello.class).exits(3);
        assertThat(result.errLines()).hasSize(2).last().isEqualTo("this is stderr"); // Hello's own
        assertThat(result.errLines().get(0)).contains(none ? "virtual threads cannot be accounted for"
                : "-XX:-DoJVMTIVirtualThreadTransitions");
    }
}
