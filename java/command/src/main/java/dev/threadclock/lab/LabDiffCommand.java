// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.report.LabDiff;
import dev.threadclock.lab.report.LabDiffText;
import dev.threadclock.lab.report.LabReport;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Terminal;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The lab diff command: compares two runs, with regard to their noise. */
@Command(
        name = "diff",
        description = {
            "Compares two runs that 'threadclock lab --json' has written: verdicts that changed, and"
                    + " figures that differ by more than their noise.",
            ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The noise of a figure is the spread of its repetitions in both runs. For a",
            "figure without repetitions it is unknown, and half of the figure is assumed.",
            "Exit status: 0 the verdicts agree, 1 some do not, or a file cannot be read,",
            "2 usage error."
        })
final class LabDiffCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "A.json", description = "The first run.")
    private Path before;

    @Parameters(index = "1", paramLabel = "B.json", description = "The second run.")
    private Path after;

    @Option(names = "--all", description = "Show every figure, not only those that differ most.")
    private boolean all;

    @Override
    public Integer call() {
        LabDiff diff = LabDiff.of(LabReport.fromJson(before), LabReport.fromJson(after));
        new LabDiffText(diff, new Style(Terminal.stdout().coloured()), all).lines()
                .forEach(Terminal.stdout()::println);
        return diff.verdictsAgree() ? 0 : 1;
    }
}
