// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import static dev.threadclock.command.probe.Verdict.RIGHT;
import static dev.threadclock.command.probe.Verdict.UNKNOWN;
import static dev.threadclock.command.probe.Verdict.WRONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a thread's user time is right, wrong, or not judged. */
class TickRunTest {
    private static final int TICKS = 100;

    private static Verdict judged(long userMillis, long cpuMillis, boolean disturbed) {
        return new TickRun(userMillis * 1_000_000, cpuMillis * 1_000_000, TICKS,
                disturbed ? TICKS / 2 : TICKS, TICKS).verdict();
    }

    @ParameterizedTest
    @CsvSource({"187, 187", "181, 187", "170, 187", "600, 640"})
    void rightEvenIfDisturbed(long user, long cpu) {
        assertThat(judged(user, cpu, false)).isEqualTo(RIGHT);
        assertThat(judged(user, cpu, true)).isEqualTo(RIGHT);
    }

    @ParameterizedTest
    @CsvSource({"1600, 360", "60, 20"})
    void moreUserTimeThanCpuTimeIsWrongWhateverDisturbedIt(long user, long cpu) {
        assertThat(judged(user, cpu, false)).isEqualTo(WRONG);
        assertThat(judged(user, cpu, true)).isEqualTo(WRONG);
    }

    @ParameterizedTest
    @CsvSource({"0, 640", "300, 360"})
    void lessIsWrongOnAQuietMachineOnly(long user, long cpu) {
        assertThat(judged(user, cpu, false)).isEqualTo(WRONG);
        assertThat(judged(user, cpu, true)).isEqualTo(UNKNOWN);
    }

    /** The difference may be due to the resolution of /proc. */
    @ParameterizedTest
    @CsvSource({"30, 40", "20, 28", "0, 5"})
    void tooLittleWorkIsNotJudged(long user, long cpu) {
        assertThat(judged(user, cpu, false)).isEqualTo(UNKNOWN);
        assertThat(judged(user, cpu, true)).isEqualTo(UNKNOWN);
    }

    @Test
    void theOwnIdMayReturnTheTotal() {
        assertThat(Measure.isTotal(4_000_000, 4_000_000, 80_000_000)).isFalse();
        assertThat(Measure.isTotal(80_000_000, 4_000_000, 80_000_100)).isTrue();
        assertThat(Measure.isTotal(79_000_000, 78_000_000, 80_000_000)).as("no system time to tell by")
                .isNull();
        assertThat(Measure.isTotal(40_000_000, 4_000_000, 80_000_000)).as("neither").isNull();
    }

    private static final Path C = Path.of("../../native/test/loads.c");
    private static final Path JAVA = Path.of("src/main/java/dev/threadclock/command/probe/TickLoads.java");

    /** The constants, the shares of a tick that bound them, and how long the work between ticks lasts. */
    private static final Pattern WINDOWS = Pattern
            .compile("(LEAD|OVERRUN|LAG)_NS(?: = \\d+|, tick_ns[ */\\d]+)|\\+ tick_ns [*/][ */\\d]+");

    private static Set<String> windows(Path file) throws IOException {
        String text = Files.readString(file).replace("_NANOS", "_NS").replace("tickLength", "tick_ns")
                .replaceAll("(?<=\\d)_(?=\\d)", "");
        return new TreeSet<>(WINDOWS.matcher(text).results().map(MatchResult::group).toList());
    }

    /** Tests in C and in Java then judge the same work. */
    @Test
    void theLoadsInCHaveTheSameWindows() throws IOException {
        assertThat(windows(C)).isEqualTo(windows(JAVA)).hasSize(7);
    }
}
