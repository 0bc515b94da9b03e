// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.doctor.DoctorReport.JdkFindings;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Finding.Level;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Figures;
import dev.threadclock.command.terminal.Wrapped;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The report for people, at most 80 columns wide. */
final class DoctorText {
    private static final int MOST_WIDTH = 80;
    private static final int LABEL_WIDTH = 16;
    private static final int MARK_WIDTH = 4;
    private static final int JDK_INDENT = 7;

    private final DoctorReport report;
    private final Style style;
    private final int width;
    private final List<String> lines = new ArrayList<>();

    /** width: of the terminal. */
    DoctorText(DoctorReport report, Style style, int width) {
        this.width = Math.min(width, MOST_WIDTH);
        this.report = report;
        this.style = style;
    }

    List<String> lines() {
        section("Machine", report.machine());
        clocks();
        if (report.jdks() != null) {
            jdks();
        }
        if (report.jvm() != null) {
            section("This JVM", report.jvm());
        }
        Wrapped.text("ok as it should be   -- worth knowing   ?? not known   !! slow or wrong", width)
                .forEach(line -> lines.add(style.dim(line)));
        return lines;
    }

    private void section(String title, Map<String, Finding> findings) {
        lines.add(style.bold(title));
        for (Finding finding : findings.values()) {
            String label = finding.label() + " ".repeat(Math.max(1, LABEL_WIDTH - finding.label().length()));
            wrapped(mark(finding.level()) + " " + label, MARK_WIDTH + label.length(), finding.text());
            if (!finding.todo().isEmpty()) {
                wrapped(" ".repeat(MARK_WIDTH + label.length()) + "-> ", MARK_WIDTH + label.length() + 3,
                        finding.todo());
            }
        }
        lines.add("");
    }

    private void clocks() {
        lines.add(style.bold("One read from Java, median"));
        if (report.clocks().isEmpty()) {
            lines.add(" ?? not known: the native library does not load");
        } else {
            lines.add(style.dim(clock("", "source", "ns", "× nanoTime", "calls")));
        }
        for (ClockCosts clock : report.clocks()) {
            lines.add(clock(clock.name(), clock.source() == null ? "" : clock.source(),
                    clock.medianNanos() == null ? "not known" : Figures.number(clock.medianNanos()),
                    clock.perNanoTime() == null ? "" : Figures.number(clock.perNanoTime()),
                    clock.systemCalls() == null ? "" : clock.systemCalls().toString()));
        }
        if (!report.clocks().isEmpty()) {
            wrapped("    ", MARK_WIDTH,
                    "calls: system calls per read. Raw ticks are not measured, because Java has no such"
                            + " read; threadclock_user_raw_ns() in C makes one system call.");
        }
        lines.add("");
    }

    /** Without the source in a narrow terminal. */
    private String clock(String name, String source, String nanos, String perNanoTime, String calls) {
        return String.format(width == MOST_WIDTH ? "    %-33s%-15s%9s%11s%8s" : "    %1$-29s%3$9s%4$11s%5$7s",
                name, source, nanos, perNanoTime, calls).stripTrailing();
    }

    private void jdks() {
        Wrapped.text("JDKs here: ThreadMXBean.getCurrentThreadUserTime(), tried in a JVM of each", width)
                .forEach(line -> lines.add(style.bold(line)));
        for (JdkFindings jdk : report.jdks()) {
            JdkTrial trial = jdk.trial();
            boolean known = trial.verdict() != Verdict.UNKNOWN;
            Level level = !known ? Level.UNKNOWN
                    : trial.verdict() == Verdict.RIGHT ? Level.OK : Level.WRONG;
            String label = String.format("%-30s", jdk.label());
            lines.add(mark(level) + " " + style.bold(label) + " " + trial.verdict().word());
            lines.add(" ".repeat(JDK_INDENT) + style.dim(jdk.home()));
            wrapped(" ".repeat(JDK_INDENT), JDK_INDENT, known ? trial.cost() : trial.reason());
            if (Boolean.TRUE.equals(trial.ownIdTellsTotal())) {
                wrapped(mark(Level.WRONG) + "    ", JDK_INDENT,
                        "getThreadUserTime(own id) returns the total (JDK-8372704); the agent repairs it");
            }
            if (jdk.virtualSwitch().known()) {
                wrapped(" ".repeat(JDK_INDENT), JDK_INDENT, "virtual=on: a switch of virtual threads costs "
                        + jdk.virtualSwitch().cost() + VirtualTrial.how(Jdk.featureOf(jdk.version())));
            }
        }
        report.skipped().forEach(skipped -> wrapped(mark(Level.UNKNOWN) + " ", MARK_WIDTH,
                skipped.path() + ": left out, " + skipped.reason()));
        for (Verdict verdict : Verdict.values()) {
            String todo = JdkFindings.todo(verdict);
            if (!todo.isEmpty() && report.jdks().stream().anyMatch(jdk -> jdk.trial().verdict() == verdict)) {
                wrapped("    -> ", JDK_INDENT, verdict.word() + ": " + todo);
            }
        }
        lines.add("");
    }

    private String mark(Level level) {
        return " " + switch (level) {
            case OK -> style.good("ok");
            case NOTE -> "--";
            case UNKNOWN -> style.bold("??");
            case WRONG -> style.bad("!!");
        };
    }

    /** The first line begins with start, which counts as indent columns. Long words may exceed the width. */
    private void wrapped(String start, int indent, String text) {
        List<String> rows = Wrapped.text(text, width - indent);
        lines.add(start + rows.get(0));
        rows.stream().skip(1).forEach(row -> lines.add(" ".repeat(indent) + row));
    }
}
