// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TickLoadsTest {
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
