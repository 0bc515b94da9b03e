// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.probe.Slack;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.TickWork;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** User time is right, even for threads that work only around timer ticks or only between them. */
class RightnessTest {
    /** A busy machine shifts a thread's work: even the kernel's own estimate is then not all user time. */
    private static final int ATTEMPTS = 4;

    private static final long MILLIS = 1_000_000;

    static Stream<Arguments> work() {
        return JdksOfTest.of(RightnessTest.class)
                .flatMap(jdk -> Stream.of("hit", "avoid", "steady").flatMap(kind -> Stream.of("tick", "now")
                        .filter(freshness -> jdk.isThorough()
                                || freshness.equals("tick") && !kind.equals("steady"))
                        .map(freshness -> Arguments.of(jdk, kind, freshness))));
    }

    @Tag("alone")
    @ParameterizedTest(name = "{1} ticks, freshness {2}, {0}")
    @MethodSource("work")
    void userTimeIsCpuTimeForPureUserWork(TestJdk jdk, String kind, String freshness) {
        List<Result> attempts = new ArrayList<>();
        while (attempts.size() < ATTEMPTS) {
            TickClock ticks = TickClock.learn();
            Result result = ChildJvm.of(jdk).withClassPath(Product.JAR)
                    .withAgentPath("freshness=" + freshness)
                    .run(TickWork.class, kind, "" + ticks.lengthNanos(), "" + ticks.phaseNanos(), "1500")
                    .ok();
            attempts.add(result);
            long user = result.number("user");
            long cpu = result.number("cpu");
            long proc = result.number("proc");
            // Even on a busy machine: no more than the CPU time, and the kernel's own value to 10 ms.
            assertThat(user).as("user time of %s", result).isLessThanOrEqualTo(cpu);
            assertThat(user).as("user time of %s", result).isBetween(proc - 10 * MILLIS, proc + 20 * MILLIS);
            // A thread that got hardly any CPU proves nothing.
            if (cpu > 30 * MILLIS && cpu - user <= Slack.ofPure(cpu)) {
                return;
            }
        }
        throw new AssertionError(
                "the thread did not work, or its user time is not within 5 % + 10 ms of the CPU time, in"
                        + " all of: "
                        + attempts);
    }
}
