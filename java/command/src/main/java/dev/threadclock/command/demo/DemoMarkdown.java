// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.demo.DemoReport.JdkResult;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.page.Figures;
import java.nio.file.Path;

/** The result as a table for a README. Always renders the same JSON file to the same text. */
public final class DemoMarkdown {
    private DemoMarkdown() {}

    /** The markdown for a file written by 'threadclock demo --json'; ends with a newline. */
    public static String render(Path json) {
        return render(DemoReport.fromJson(json));
    }

    static String render(DemoReport report) {
        StringBuilder text = new StringBuilder();
        text.append("| `getCurrentThreadUserTime()` | as it is | with threadclock | |\n");
        text.append("|---|---|---|---|\n");
        for (JdkResult jdk : report.jdks()) {
            append(text, jdk);
        }
        text.append(
                "\nOne read: the median. Work: all in user mode, so its user time should be its CPU time."
                        + " Measured by")
                .append(" `threadclock demo").append(report.quick() ? " --quick" : "").append("` ")
                .append(report.threadclock())
                .append(" on ").append(report.measured(), 0, 10).append(": ").append(report.machine().line())
                .append(".\n");
        return text.toString();
    }

    private static void append(StringBuilder text, JdkResult jdk) {
        if (!jdk.complete()) {
            row(text, "**" + jdk.label() + "**", "failed",
                    jdk.failure().lines().findFirst().orElse("").replace("|", "\\|"), "");
            return;
        }
        Measurement before = jdk.before();
        Measurement with = jdk.with();
        row(text, "**" + jdk.label() + "**, one read", Figures.nanos(before.user().medianNanos()),
                "**" + Figures.nanos(with.user().medianNanos()) + "**",
                "**" + Figures.times(jdk.speedUp()) + "**");
        row(text, "in units of `System.nanoTime()`", Figures.number(before.perNanoTime()),
                Figures.number(with.perNanoTime()), "");
        row(text, "one read in 1,000 is over", Figures.duration(before.latency().p999Nanos()),
                Figures.duration(with.latency().p999Nanos()), "");
        row(text, "thread that works around timer ticks", run(before.aroundTicks()), run(with.aroundTicks()),
                "");
        row(text, "thread that works between timer ticks", run(before.betweenTicks()),
                run(with.betweenTicks()), "");
    }

    private static String run(TickRun run) {
        String verdict = Measurement.verdict(run);
        return Measurement.userOfCpu(run) + ", "
                + (run.judgement() == TickRun.Judgement.WRONG ? "**" + verdict + "**" : verdict);
    }

    private static void row(StringBuilder text, String... cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
