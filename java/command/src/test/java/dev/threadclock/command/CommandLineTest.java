// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

/** Usage errors are refused, even together with --help. */
class CommandLineTest {
    @ParameterizedTest
    @ValueSource(strings = {"nosuch", "nosuch --help", "--help nosuch", "top --help nosuch --wrong",
        "help nosuch", "completion fish",
        "report x.jfr -o x.csv", "attach freshness=now", "",
        // With no address of this machine: what was not refused would end with 1.
        "node 192.0.2.1:1 --attach 4711", "node 192.0.2.1:1 --attach-options virtual=on",
        "node 192.0.2.1:1 --attach pid=1 --attach-options virtual=maybe"})
    void usageErrorsExitWith2(String line) {
        assertThat(run(line)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "help", "help top", "top --help",
        "completion", "completion bash",
        "completion zsh", "--version"})
    void helpExitsWith0(String line) {
        assertThat(run(line)).isZero();
    }

    @Test
    void aMistypedCommandIsGuessed() {
        List<String> names = List.of("attach", "record", "report", "top");
        assertThat(Main.nearest("recrd", names)).containsExactly("record");
        assertThat(Main.nearest("recoord", names)).containsExactly("record");
        assertThat(Main.nearest("atach", names)).containsExactly("attach");
        assertThat(Main.nearest("attech", names)).containsExactly("attach");
        assertThat(Main.nearest("nosuch", names)).isEmpty();
    }

    @Test
    void helpFitsIntoATerminal() {
        assertThat(Arrays.stream(Main.class.getAnnotation(Command.class).subcommands())
                .flatMap(type -> Arrays.stream(type.getAnnotation(Command.class).footer())))
                .isNotEmpty().allMatch(line -> line.length() <= 80);
    }

    /** picocli formats the text: of one that it cannot format, it prints a warning and the raw text. */
    @Test
    void helpPrintsNoWarning() {
        PrintStream stderr = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed));
        try {
            Arrays.stream(Main.class.getAnnotation(Command.class).subcommands())
                    .forEach(type -> run(type.getAnnotation(Command.class).name() + " --help"));
        } finally {
            System.setErr(stderr);
        }
        assertThat(printed.toString()).isEmpty();
    }

    private static int run(String line) {
        return Main.run(line.isEmpty() ? new String[0] : line.split(" "));
    }
}
