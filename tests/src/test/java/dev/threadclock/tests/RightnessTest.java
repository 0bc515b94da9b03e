// SPDX-License-Identifier: Apache-2.0
// User time is right, also for threads that work only around timer ticks or only between them.
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.cli.TickClock;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.TickWork;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RightnessTest {
    /** A busy machine moves a thread's work off its place: the kernel's own estimate is then no longer all user. */
    private static final int ATTEMPTS = 4;

    private static final long MILLIS = 1_000_000;

    static Stream<Arguments> work() {
        return TestJdk.all().stream().flatMap(jdk -> Stream.of("hit", "avoid", "steady").flatMap(kind -> Stream.of("tick", "now")
                .filter(freshness -> jdk.isThorough() || freshness.equals("tick") && !kind.equals("steady"))
                .map(freshness -> Arguments.of(jdk, kind, freshness))));
    }

    @ParameterizedTest(name = "{1} ticks, freshness {2}, {0}")
    @MethodSource("work")
    void userTimeIsCpuTimeForPureUserWork(TestJdk jdk, String kind, String freshness) {
        List<Result> attempts = new ArrayList<>();
        while (attempts.size() < ATTEMPTS) {
            TickClock ticks = TickClock.learn();
            Result result = ChildJvm.of(jdk).withAgentPath("freshness=" + freshness).run(TickWork.class, kind,
                    String.valueOf(ticks.lengthNanos()), String.valueOf(ticks.phaseNanos()), "1500").ok();
            attempts.add(result);
            long user = result.number("user");
            long cpu = result.number("cpu");
            long proc = result.number("proc");
            // On any machine, however busy: never more than the CPU time, and what the kernel itself says, to its 10 ms.
            assertThat(user).as("user time of %s", result).isLessThanOrEqualTo(cpu);
            assertThat(user).as("user time of %s", result).isBetween(proc - 10 * MILLIS, proc + 20 * MILLIS);
            assertThat(cpu).as("the thread worked: %s", result).isGreaterThan(30 * MILLIS);
            if (cpu - user <= cpu / 20 + 10 * MILLIS) {
                return;
            }
        }
        throw new AssertionError("user time is not within 5 % + 10 ms of the CPU time in any of: " + attempts);
    }
}
