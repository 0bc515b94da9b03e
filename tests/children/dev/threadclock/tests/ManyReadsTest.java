// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.TickClock;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.ManyReads;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ManyReads} finds no wrong reading. {@code -Dthreadclock.many.reads=N}: the number of reads on each
 * JDK, for at most ten minutes; otherwise each runs for two seconds.
 */
class ManyReadsTest {
    private static final String READS = System.getProperty("threadclock.many.reads", "");
    /** Low, so that TIDs of ended threads are reused soon, where a PID namespace can have its own limit. */
    private static final String FEW_IDS = "1000";

    static Stream<Arguments> totals() {
        return JdksOfTest.of("ManyReadsTest")
                .flatMap(jdk -> Stream.of("tick", "interpolated", "tick,freshness=now")
                        .map(total -> Arguments.of(jdk, total)));
    }

    @ParameterizedTest(name = "total={1}, {0}")
    @MethodSource("totals")
    void noReadingDecreasesExceedsTheTruthOrIsAnotherThreads(TestJdk jdk, String total) {
        TickClock ticks = TickClock.learn();
        ChildJvm child = ChildJvm.of(jdk).withAgentPath("total=" + total).withClassPath(Product.JAR)
                .withinAtLeast(Duration.ofMinutes(12));
        child.withNativeAccess();
        if (Host.hasOwnPidMax()) {
            child.under("unshare", "-p", "-f", "--mount-proc", "sh", "-c",
                    "echo " + FEW_IDS + " >/proc/sys/kernel/pid_max && \"$@\"", "sh");
        }
        Result result = child.run(ManyReads.class, READS.isEmpty() ? "1000000000" : READS,
                READS.isEmpty() ? "2" : "600",
                Long.toString(ticks.lengthNanos()), Long.toString(ticks.phaseNanos()));
        List.of(("total=" + total + "\n" + result.out()).split("\n"))
                .forEach(line -> ResultFile.line(ManyReadsTest.class.getName(), line));
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.err()).isEmpty();
    }
}
