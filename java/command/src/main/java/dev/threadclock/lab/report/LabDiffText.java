// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Wrap;
import dev.threadclock.command.page.Figures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** The comparison of two runs for a terminal. */
public final class LabDiffText {
    private static final int INDENT = 4;
    private static final int SHOWN = 3;

    private final LabDiff diff;
    private final Style style;
    private final boolean all;
    private final List<String> lines = new ArrayList<>();

    /** all: whether to show every figure, not only those of an experiment that differ most. */
    public LabDiffText(LabDiff diff, Style style, boolean all) {
        this.diff = diff;
        this.style = style;
        this.all = all;
    }

    public List<String> lines() {
        run("A", diff.before());
        run("B", diff.after());
        if (!sameConditions()) {
            lines.add(style.bold("Not comparable: the machine, its kernel, the JDKs or --quick differ."));
        }
        lines.add("");
        diff.changes().forEach(this::change);
        long changed = diff.changes().stream().filter(LabDiff.Change::ofVerdict).count();
        lines.add("");
        lines.add(style.bold(changed == 0 ? "The verdicts agree."
                : changed == 1 ? "1 verdict differs." : changed + " verdicts differ."));
        return lines;
    }

    private void run(String name, LabReport report) {
        wrapped(name + "  ", 3, report.begun().replace('T', ' ') + ", threadclock " + report.threadclock()
                + (report.quick() ? ", --quick" : "") + ": " + report.machine().line());
    }

    private boolean sameConditions() {
        LabReport a = diff.before();
        LabReport b = diff.after();
        return a.quick() == b.quick() && a.jdks().equals(b.jdks())
                && Objects.equals(a.machine().cpu(), b.machine().cpu())
                && a.machine().cpus() == b.machine().cpus()
                && a.machine().kernel().equals(b.machine().kernel());
    }

    private void change(LabDiff.Change change) {
        long beyond = change.figures().stream().filter(LabDiff.Pair::beyondNoise).count();
        String verdict = change.before() == null ? "only in B: " + change.after().verdict().words()
                : change.after() == null ? "only in A: " + change.before().verdict().words()
                        : change.ofVerdict()
                                ? style.bad(change.before().verdict().words() + " -> "
                                        + change.after().verdict().words())
                                : change.after().verdict().words();
        String figures = change.figures().isEmpty() ? ""
                : "; " + beyond + " of " + change.figures().size() + " figures differ beyond their noise";
        lines.add(style.bold(change.name()) + "  " + verdict + figures
                + (change.noisy() ? "; the machine was noisy" : ""));
        List<LabDiff.Pair> shown = all ? change.figures()
                : change.figures().stream().filter(LabDiff.Pair::beyondNoise)
                        .sorted(Comparator.comparingDouble(LabDiff.Pair::timesItsNoise).reversed())
                        .limit(SHOWN).toList();
        shown.forEach(pair -> wrapped(" ".repeat(INDENT), INDENT + 2, line(pair)));
        if (!all && beyond > SHOWN) {
            lines.add(style.dim(" ".repeat(INDENT) + "and " + (beyond - SHOWN) + " more: --all"));
        }
    }

    /** "JDK 17, mean: 8.12 µs -> 9.01 µs (+11 %, noise 0.30 µs)". */
    private static String line(LabDiff.Pair pair) {
        String unit = pair.before().unit();
        double base = Math.abs(pair.before().value());
        String percent = base == 0 ? "" : Figures.percent(pair.change() / base) + ", ";
        return pair.before().subject() + ", " + pair.before().quantity() + ": "
                + Quantities.value(pair.before().value(), unit) + " -> "
                + Quantities.value(pair.after().value(), unit) + " (" + percent + "noise "
                + Quantities.value(pair.noise(), unit) + ")";
    }

    private void wrapped(String start, int indent, String text) {
        lines.addAll(Wrap.lines(start, indent, text));
    }
}
