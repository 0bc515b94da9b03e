// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.tests.StormRun.Outcome;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * While all methods of ThreadMXBean are called, the agent is attached, given other options and detached: the
 * JVM does not crash, no call fails, no answer is wrong, and nothing is printed. This also holds with
 * -Xcheck:jni, which would print.
 *
 * <p>{@code -Dthreadclock.storm.cycles=N}: the number of cycles on each JDK, in place of the duration {@code
 * -Dthreadclock.storm.seconds}. ci/attack storm runs 10,000.
 */
class StormTest {
    private static final long CYCLES = Long.getLong("threadclock.storm.cycles", 0);
    private static final long SECONDS = Long.getLong("threadclock.storm.seconds", 3);

    @TempDir
    Path folder;

    static Stream<Arguments> modes() {
        return TestJdk.of("StormTest")
                .flatMap(jdk -> Stream.of("-Xmixed", "-Xint", "-Xcheck:jni")
                        .map(mode -> Arguments.of(jdk, mode)));
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("modes")
    void comingAndGoingNeitherCrashesNorShows(TestJdk jdk, String mode) throws Exception {
        boolean checks = mode.equals("-Xcheck:jni");
        StormRun storm = new StormRun(jdk, folder).with(mode);
        Outcome outcome = storm
                .run(checks ? StormRun.cycles(CYCLES / 10, 1) : StormRun.cycles(CYCLES, SECONDS));
        ResultFile.line(String.format("%s, %s, %s: %s", jdk, mode, storm.cycles(), outcome.line()));
        outcome.assertFine().assertSilent();
    }
}
