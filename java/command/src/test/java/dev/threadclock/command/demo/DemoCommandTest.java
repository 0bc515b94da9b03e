// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.command.terminal.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Wrong arguments of the demo are refused before anything is measured. */
class DemoCommandTest {
    private final StringWriter said = new StringWriter();

    private CommandLine command() {
        return new CommandLine(new DemoCommand()).setErr(new PrintWriter(said)).setOut(new PrintWriter(said));
    }

    @ParameterizedTest
    @CsvSource({"--html x --no-html, exclude each other", "--json - --markdown -, only one of",
        "--html - --json -, only one of",
        "--json, --json", "extra, extra", "--jdk, --jdk"})
    void usageErrorsExitWith2(String line, String says) {
        assertThat(command().execute(line.split(" "))).isEqualTo(2);
        assertThat(said.toString()).contains(says);
    }

    @Test
    void aFileThatCannotBeWrittenFailsFirst(@TempDir Path folder) {
        CommandLine command = command().setExecutionExceptionHandler((e, line, parsed) -> {
            throw e;
        });
        DemoCommand demo = command.getCommand();
        command.parseArgs("--no-html", "--jdk", "/nonexistent", "--json",
                folder.resolve("no/demo.json").toString());
        assertThatThrownBy(demo::call).isInstanceOf(Failure.class).hasMessageContainingAll("no such folder",
                "--json FILE");
        command.parseArgs("--html", folder.toString());
        assertThatThrownBy(demo::call).isInstanceOf(Failure.class).hasMessageContainingAll("it is a folder",
                "--no-html");
    }
}
