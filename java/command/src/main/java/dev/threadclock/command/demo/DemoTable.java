// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.demo.DemoReport.JdkResult;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The result as a table for a terminal of 80 columns. */
final class DemoTable {
    private static final int WIDTH = 80;
    private static final int LABEL_WIDTH = 23;
    private static final int CELL_WIDTH = 30;

    private final DemoReport report;
    private final Style style;
    private final List<String> lines = new ArrayList<>();

    DemoTable(DemoReport report, Style style) {
        this.report = report;
        this.style = style;
    }

    /** The lines of the table, at most 80 columns wide except the text of failures. */
    List<String> lines() {
        lines.add("");
        lines.add(
                style.bold("ThreadMXBean.getCurrentThreadUserTime(), the JDK as it is and with threadclock"));
        if (report.quick()) {
            lines.add(style.bold("Measured quickly: the figures show the order of magnitude only."));
        }
        lines.add("");
        lines.add(" " + pad("", LABEL_WIDTH) + style.bold(pad("as it is", CELL_WIDTH))
                + style.bold("with threadclock"));
        lines.add(style.dim(" " + "─".repeat(WIDTH - 2)));
        for (JdkResult jdk : report.jdks()) {
            addJdk(jdk);
        }
        addNotes();
        return lines;
    }

    private void addJdk(JdkResult jdk) {
        String home = "  " + jdk.home();
        boolean fits = jdk.label().length() + home.length() < WIDTH;
        lines.add(" " + style.bold(jdk.label()) + (fits ? style.dim(home) : ""));
        if (!jdk.complete()) {
            lines.add("   " + style.bad("failed") + " " + jdk.failure().replace("\n", "\n   "));
            lines.add("");
            return;
        }
        Measurement before = jdk.before();
        Measurement with = jdk.with();
        row("one read (median)", Figures.nanos(before.user().medianNanos()),
                Figures.nanos(with.user().medianNanos()) + "   " + faster(jdk), style::good);
        row("one nanoTime()", Figures.nanos(before.nanoTime().medianNanos()),
                Figures.nanos(with.nanoTime().medianNanos()), null);
        row("read / nanoTime()", Figures.number(before.perNanoTime()), Figures.number(with.perNanoTime()),
                null);
        row("1 read in 1,000 over", Figures.duration(before.p999Nanos()),
                Figures.duration(with.p999Nanos()), null);
        runs("work around ticks", before.aroundTicks(), with.aroundTicks());
        runs("work between ticks", before.betweenTicks(), with.betweenTicks());
        lines.add("");
    }

    private static String faster(JdkResult jdk) {
        return jdk.speedUp() >= 1 ? Figures.times(jdk.speedUp()) + " faster"
                : Figures.times(1 / jdk.speedUp()) + " slower";
    }

    private void runs(String label, TickRun before, TickRun with) {
        lines.add("   " + pad(label, LABEL_WIDTH - 2) + cell(before, CELL_WIDTH) + cell(with, 0));
    }

    private String cell(TickRun run, int width) {
        String figures = Measurement.userOfCpu(run) + "  ";
        String verdict = run.verdict() == Verdict.WRONG ? "wrong " + Figures.percent(run.error())
                : Measurement.verdict(run);
        String coloured = switch (run.verdict()) {
            case RIGHT -> style.good(verdict);
            case WRONG -> style.bad(verdict);
            default -> verdict;
        };
        return figures + coloured + " ".repeat(Math.max(0, width - figures.length() - verdict.length()));
    }

    private void row(String label, String before, String with, UnaryOperator<String> emphasis) {
        lines.add("   " + pad(label, LABEL_WIDTH - 2) + pad(before, CELL_WIDTH)
                + (emphasis == null ? with : emphasis.apply(with)));
    }

    private void addNotes() {
        if (!report.disturbance().isEmpty()) {
            lines.add(style.bad(" " + report.disturbance()));
        }
        lines.add(
                style.dim(" ms: user time of CPU time. The work is all in user mode: they should be equal."));
        report.unseen().lines().forEach(line -> lines.add(" " + line));
        report.skipped().forEach(skipped -> lines
                .add(style.dim(" Left out: " + skipped.path() + ": " + skipped.reason() + ".")));
        lines.add(style.dim(" " + report.machine().line() + "."));
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
