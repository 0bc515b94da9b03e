// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Usage errors are refused, with --help as well. */
class CommandLineTest {
    @ParameterizedTest
    @ValueSource(strings = {"nosuch", "nosuch --help", "--help nosuch", "top --help nosuch --wrong",
        "help nosuch", "completion fish",
        "report x.jfr -o x.csv", ""})
    void wrongUseIsExit2(String line) {
        assertThat(run(line)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "help", "help top", "help lab", "top --help", "lab diff --help",
        "completion", "completion bash",
        "completion zsh", "--version"})
    void helpIsExit0(String line) {
        assertThat(run(line)).isZero();
    }

    private static int run(String line) {
        return Main.run(line.isEmpty() ? new String[0] : line.split(" "));
    }
}
