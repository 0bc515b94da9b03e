// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.ReadByAll;
import dev.threadclock.tests.child.Toggle;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * User time never decreases, whichever thread reads it, and never exceeds a CPU time read later, even while
 * CPU time is switched. {@code -Dthreadclock.reads=N} and {@code -Dthreadclock.reads.seconds=N}: the number
 * of readings and the maximum duration on the thorough JDKs.
 */
class ReadByAllTest {
    private static final String READS = System.getProperty("threadclock.reads", "100000000");
    private static final String SECONDS = System.getProperty("threadclock.reads.seconds", "4");

    static Stream<Arguments> freshness() {
        return JdksOfTest.of(ReadByAllTest.class)
                .flatMap(jdk -> Stream.of("tick", "now").map(freshness -> Arguments.of(jdk, freshness)));
    }

    private static Result read(TestJdk jdk, String freshness, String seconds, String fault) {
        Result result = ChildJvm.of(jdk).withAgentPath("freshness=" + freshness)
                .run(ReadByAll.class, READS, seconds, fault).ok();
        assumeTrue(result.value("others").equals("agent"),
                "the JVM itself answers for other threads here: " + result.out());
        return result;
    }

    @ParameterizedTest(name = "freshness {1}, {0}")
    @MethodSource("freshness")
    void noReadingDecreasesWhicheverThreadReads(TestJdk jdk, String freshness) {
        Result result = read(jdk, freshness, jdk.isThorough() ? SECONDS : "2", "0");
        System.out.println("  " + jdk + ", " + freshness + ": " + result.out().strip());
        assertThat(result.number("violations")).as(result.toString()).isZero();
        assertThat(result.number("reads")).as("enough to mean something").isGreaterThan(100_000);
    }

    @OnEachJdk
    void theCheckNoticesAReaderThatIsBehind(TestJdk jdk) {
        assertThat(read(jdk, "tick", "1", "20000000").number("violations")).isPositive();
    }

    @OnEachJdk
    void switchingCpuTimeShowsOnlyNoneOrAValidTime(TestJdk jdk) {
        for (ChildJvm child : new ChildJvm[]{ChildJvm.of(jdk), ChildJvm.of(jdk).withAgentPath("")}) {
            Result result = child.run(Toggle.class, "700").ok();
            assertThat(result.number("wrong")).as(result.toString()).isZero();
            assertThat(result.number("times")).as(result.toString()).isPositive();
            assertThat(result.number("none")).as(result.toString()).isPositive();
            assertThat(result.value("back")).as(result.toString()).isEqualTo("true");
        }
    }
}
