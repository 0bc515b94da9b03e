// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion script offers commands, options, values, and the running JVMs. */
class CompletionTest {
    @TempDir
    Path folder;

    @BeforeEach
    void writeScript() throws IOException {
        Files.writeString(folder.resolve("threadclock"), AttachJvm.command("completion").ok().out());
    }

    /** The words that bash offers in place of the last of these. */
    private List<String> offered(String... words) {
        // bash has compopt only during completion.
        String shell = "compopt() { :; }; . '" + folder.resolve("threadclock")
                + "' && COMP_WORDS=(threadclock \"$@\") COMP_CWORD=$#"
                + " && _threadclock_with_jvms; printf '%s\\n' \"${COMPREPLY[@]}\"";
        return ChildJvm.exec("bash", "-c", shell, "bash", words).end().ok().out().lines()
                .map(String::strip).toList();
    }

    @Test
    void commandsOptionsAndTheirValuesAreOffered() {
        assertThat(offered("re")).containsExactly("record", "report");
        assertThat(offered("top", "--o")).containsExactly("--once");
        assertThat(offered("top", "--sort", "us")).containsExactly("user");
    }

    @Test
    void whereAJvmIsToBeNamedThoseThatRunAreOffered() {
        try (AttachJvm jvm = TopTest.start()) {
            for (String command : List.of("top", "record", "attach", "detach", "status", "doctor")) {
                assertThat(offered(command, "")).as(command)
                        .anyMatch(word -> word
                                .matches(jvm.pid() + " dev\\.threadclock\\.tests\\S+AttachTarget"));
            }
            assertThat(offered("top", jvm.pid())).as("alone, unless it begins another's number, too")
                    .anyMatch(word -> word.matches(jvm.pid() + "( .*)?"));
            assertThat(offered("demo", "")).noneMatch(word -> word.startsWith(jvm.pid()));
        }
    }
}
