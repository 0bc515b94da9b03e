// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.help;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.Main;
import dev.threadclock.command.record.RecordCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Each command has a man page with all of its options, and the shells can complete them. */
class ManPagesCommandTest {
    @TempDir
    Path folder;

    @Test
    void eachCommandHasAManPage() throws Exception {
        assertThat(Main.run("man-pages", folder.toString())).isZero();
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> pages = files.toList();
            assertThat(pages).extracting(page -> page.getFileName().toString())
                    .contains("threadclock-record.1", "threadclock-attach.1", "threadclock-doctor.1")
                    .doesNotContain("threadclock-man-pages.1");
            assertThat(pages)
                    .allSatisfy(
                            page -> assertThat(Files.readString(page))
                                    .contains(".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS",
                                            ".SH EXIT STATUS", "Show this help")
                                    .doesNotContain("${", "null"));
        }
    }

    @Test
    void aManPageHasAllOptionsAndTheExamples() {
        CommandSpec spec = new CommandLine(new RecordCommand()).getCommandSpec();
        String page = ManPagesCommand.page(spec);
        spec.options().forEach(option -> assertThat(page).contains(option.longestName().replace("-", "\\-")));
        assertThat(page.substring(page.indexOf(".SH EXAMPLES"), page.indexOf(".SH EXIT STATUS")))
                .contains("\\-d 60s \\-o app.html");
        assertThat(page.lines()).as("requests").filteredOn(line -> line.startsWith("."))
                .allMatch(line -> line.matches("\\.(\\\\\"|TH|SH|nf|in)\\b?.*"));
    }
}
