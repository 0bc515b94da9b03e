// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;

/** The report for a terminal: each claim with its verdict, and optionally all figures. */
public final class LabText {
    private static final int INDENT = 7;

    private final LabReport report;
    private final Style style;
    private final boolean all;
    private final List<String> lines = new ArrayList<>();

    /** all: whether to show every figure and note, not only the verdicts. */
    public LabText(LabReport report, Style style, boolean all) {
        this.report = report;
        this.style = style;
        this.all = all;
    }

    public List<String> lines() {
        lines.add("");
        lines.add(style.bold(Summary.headline(report)));
        Summary.cautions(report).forEach(caution -> wrapped("", 0, caution));
        lines.add("");
        for (Result result : report.results()) {
            String rows = String.format("%" + (INDENT - 2) + "s  ", result.rowsInWords());
            lines.add(rows + coloured(result.verdict()) + "  " + style.bold(result.title())
                    + style.dim("  " + result.name()));
            wrapped(" ".repeat(INDENT), INDENT, result.outcome().finding());
            if (all) {
                figures(result);
            }
        }
        lines.add("");
        lines.add(style.dim(report.machine().line() + "."));
        return lines;
    }

    private void figures(Result result) {
        wrapped(" ".repeat(INDENT) + "run: ", INDENT + 5, result.conditions());
        for (Figure figure : result.outcome().figures()) {
            String published = figure.published().isEmpty() ? "" : "; published: " + figure.published();
            wrapped(" ".repeat(INDENT + 2), INDENT + 2,
                    figure.subject() + ", " + figure.quantity() + ": " + Quantities.withSpread(figure)
                            + published);
        }
        result.outcome().notes().forEach(note -> wrapped(" ".repeat(INDENT) + "note: ", INDENT + 6, note));
        wrapped(" ".repeat(INDENT) + "noise: ", INDENT + 7, result.noise().line());
        lines.add("");
    }

    private String coloured(Verdict verdict) {
        return switch (verdict) {
            case CONFIRMED -> style.good(verdict.words());
            case NOT_CONFIRMED, FAILED -> style.bad(verdict.words());
            case NOT_RUNNABLE, TOO_NOISY -> style.dim(verdict.words());
        };
    }

    private void wrapped(String start, int indent, String text) {
        lines.addAll(Wrap.lines(start, indent, text));
    }
}
