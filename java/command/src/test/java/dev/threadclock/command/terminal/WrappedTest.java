// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Help for 80 columns is readable in fewer. */
class WrappedTest {
    private static final List<String> HELP = List.of(
            "Percentages are of one core. WAIT is the time in which a thread was runnable",
            "but had no CPU.",
            "Examples:",
            "  threadclock top 1234                     live, every 2 seconds",
            "  threadclock top Main --once --rows 3 --frames",
            "                                           the busiest three threads, and where",
            "                                           they use the CPU",
            "",
            "  enter        shows the methods in which it uses the CPU",
            "  arrows       select a thread",
            "Exit status: 0 shown, 2 usage error.");

    @Test
    void paragraphsAndColumnsAreWrapped() {
        assertThat(Wrapped.help(HELP, 40)).containsExactly(
                "Percentages are of one core. WAIT is the",
                "time in which a thread was runnable but",
                "had no CPU.",
                "Examples:",
                "  threadclock top 1234",
                "      live, every 2 seconds",
                "  threadclock top Main --once --rows",
                "      3 --frames",
                "      the busiest three threads, and",
                "      where they use the CPU",
                "",
                "  enter        shows the methods in",
                "               which it uses the CPU",
                "  arrows       select a thread",
                "Exit status: 0 shown, 2 usage error.");
    }

    @Test
    void aWordIsNeverDivided() {
        assertThat(Wrapped.text("a ofsevenletters b", 5)).containsExactly("a", "ofsevenletters", "b");
    }
}
