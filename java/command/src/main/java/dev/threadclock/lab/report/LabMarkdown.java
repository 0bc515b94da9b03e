// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import java.nio.file.Path;

/** The verdicts as a table for the documentation. Always renders the same JSON file to the same text. */
public final class LabMarkdown {
    private LabMarkdown() {}

    /** Renders the file written by 'threadclock lab --json'. Ends with a newline. */
    public static String render(Path json) {
        return render(LabReport.fromJson(json));
    }

    public static String render(LabReport report) {
        StringBuilder text = new StringBuilder("| # | claim | here | verdict |\n|---|---|---|---|\n");
        for (Result result : report.results()) {
            text.append("| ").append(result.rowsInWords()).append(" | ").append(cell(result.title()))
                    .append(" | ")
                    .append(cell(result.outcome().finding())).append(" | **").append(result.verdict().words())
                    .append("** |\n");
        }
        text.append('\n').append(Summary.headline(report)).append(". Measured by `threadclock lab")
                .append(report.quick() ? " --quick" : "")
                .append("` ").append(report.threadclock()).append(" on ").append(report.begun(), 0, 10)
                .append(": ")
                .append(report.machine().line()).append(".\n");
        Summary.cautions(report).forEach(caution -> text.append('\n').append(caution).append('\n'));
        return text.toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replaceAll("\\s+", " ").replace("<", "&lt;");
    }
}
