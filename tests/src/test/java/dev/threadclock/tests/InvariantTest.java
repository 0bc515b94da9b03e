// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.PairedReads;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * User time never exceeds a CPU time read later, and never decreases: twenty million pairs of reads in four
 * threads, in CI a hundred million. {@code -Dthreadclock.pairs=N} and {@code -Dthreadclock.pairs.seconds=N}:
 * the number of pairs and the maximum duration on the thorough JDKs.
 */
class InvariantTest {
    private static final String THREADS = "4";
    private static final String PAIRS = System.getProperty("threadclock.pairs", "20000000");
    private static final String SECONDS = System.getProperty("threadclock.pairs.seconds", "45");

    static Stream<Arguments> freshness() {
        return JdksOfTest.of(InvariantTest.class).flatMap(jdk -> Stream.of(
                Arguments.of(jdk, "tick", jdk.isThorough() ? PAIRS : "6000000", SECONDS),
                Arguments.of(jdk, "now", jdk.isThorough() ? "4000000" : "2000000", "15")));
    }

    @ParameterizedTest(name = "freshness {1}, {0}")
    @MethodSource("freshness")
    void userTimeNeverExceedsACpuTimeReadLaterAndNeverDecreases(TestJdk jdk, String freshness, String pairs,
            String seconds) {
        Result result = ChildJvm.of(jdk).withAgentPath("freshness=" + freshness)
                .run(PairedReads.class, THREADS, pairs, seconds, "0").ok();
        System.out.println("  " + jdk + ", " + freshness + ": " + result.out().strip());
        assertThat(result.number("violations")).as(result.toString()).isZero();
        assertThat(result.number("pairs")).as("enough to mean something").isGreaterThan(1_000_000);
    }

    @OnEachJdk
    void theCheckNoticesUserTimeThatIsTooHigh(TestJdk jdk) {
        Result result = ChildJvm.of(jdk).withAgentPath("")
                .run(PairedReads.class, THREADS, "100000", "15", "1000000000").ok();
        assertThat(result.number("violations")).isPositive();
    }
}
