// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.demo.DemoReport.JdkResult;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.terminal.Figures;
import java.util.DoubleSummaryStatistics;

/** The result as a table for a README. */
final class DemoMarkdown {
    private DemoMarkdown() {}

    static String render(DemoReport report) {
        StringBuilder text = new StringBuilder();
        row(text, "JDK", "faster", "one read", "with threadclock",
                "user of CPU time, around and between ticks",
                "with threadclock");
        text.append("|---|---|---|---|---|---|\n");
        report.jdks().forEach(jdk -> append(text, jdk));
        text.append("\nOne read of `getCurrentThreadUserTime()`: the median.").append(inNanoTimes(report))
                .append(" Threads that work in user mode only, around timer ticks or between them: their user"
                        + " time should be their CPU time. Measured by `threadclock demo")
                .append(report.quick() ? " --quick" : "").append("` ").append(report.threadclock())
                .append(" on ").append(report.measured(), 0, 10).append(": ").append(report.machine().line())
                .append(".\n");
        return text.toString();
    }

    private static String inNanoTimes(DemoReport report) {
        DoubleSummaryStatistics with = report.complete().stream()
                .mapToDouble(jdk -> jdk.with().perNanoTime()).summaryStatistics();
        return with.getCount() == 0 ? ""
                : " With threadclock it takes at most " + Figures.number(with.getMax())
                        + " of a `System.nanoTime()`.";
    }

    private static void append(StringBuilder text, JdkResult jdk) {
        String label = "**" + jdk.label() + "**";
        if (!jdk.complete()) {
            row(text, label, "failed", jdk.failure().lines().findFirst().orElse("").replace("|", "\\|"), "",
                    "", "");
            return;
        }
        row(text, label, "**" + Figures.times(jdk.speedUp()) + "**",
                Figures.nanos(jdk.before().user().medianNanos()),
                Figures.nanos(jdk.with().user().medianNanos()), runs(jdk.before()), runs(jdk.with()));
    }

    /** Both figures, and one verdict if it is the same. */
    private static String runs(Measurement measured) {
        String around = verdict(measured.aroundTicks());
        String between = verdict(measured.betweenTicks());
        return Measurement.userOfCpu(measured.aroundTicks()) + (around.equals(between) ? "" : ", " + around)
                + "; " + Measurement.userOfCpu(measured.betweenTicks()) + ", " + between;
    }

    private static String verdict(TickRun run) {
        String verdict = Measurement.verdict(run);
        return run.verdict() == Verdict.WRONG ? "**" + verdict + "**" : verdict;
    }

    private static void row(StringBuilder text, String... cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
