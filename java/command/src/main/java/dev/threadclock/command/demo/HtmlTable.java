// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement.Cost;
import dev.threadclock.command.measure.Latency;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.page.Html;
import java.util.List;
import java.util.function.Function;

/** All figures, as a table of a page. */
final class HtmlTable {
    private final List<JdkResult> jdks;

    HtmlTable(List<JdkResult> jdks) {
        this.jdks = jdks;
    }

    String render() {
        StringBuilder html = new StringBuilder(
                "<table>\n<thead><tr><th></th><th>as it is</th><th>with threadclock</th></tr></thead>\n");
        for (JdkResult jdk : jdks) {
            html.append("<tbody><tr><th colspan=\"3\" class=\"jdk\">").append(Html.escape(jdk.label()))
                    .append("</th></tr>\n");
            row(html, jdk, "one read, median", measured -> Figures.nanos(measured.user().medianNanos()));
            row(html, jdk, "one read, quartiles", measured -> quartiles(measured.user()));
            row(html, jdk, "one nanoTime(), median",
                    measured -> Figures.nanos(measured.nanoTime().medianNanos()));
            row(html, jdk, "a read in nanoTime()s", measured -> Figures.number(measured.perNanoTime()));
            row(html, jdk, "total CPU time, one read, median",
                    measured -> Figures.nanos(measured.cpu().medianNanos()));
            latency(html, jdk, "50 %", Latency::p50Nanos);
            latency(html, jdk, "90 %", Latency::p90Nanos);
            latency(html, jdk, "99 %", Latency::p99Nanos);
            latency(html, jdk, "99.9 %", Latency::p999Nanos);
            latency(html, jdk, "99.99 %", Latency::p9999Nanos);
            latency(html, jdk, "slowest", Latency::maxNanos);
            row(html, jdk, "work around ticks: user of CPU time", measured -> run(measured.aroundTicks()));
            row(html, jdk, "work between ticks: user of CPU time", measured -> run(measured.betweenTicks()));
            html.append("</tbody>\n");
        }
        return html.append("</table>\n").toString();
    }

    private static void latency(StringBuilder html, JdkResult jdk, String percentile,
            Function<Latency, Long> value) {
        row(html, jdk, "single read, " + percentile + " (empty pair)",
                measured -> Figures.duration(value.apply(measured.latency()))
                        + " <small>(" + Figures.duration(value.apply(measured.emptyLatency())) + ")</small>");
    }

    private static void row(StringBuilder html, JdkResult jdk, String label,
            Function<Measurement, String> cell) {
        html.append("<tr><th>").append(label).append("</th><td>").append(cell.apply(jdk.before()))
                .append("</td><td>")
                .append(cell.apply(jdk.with())).append("</td></tr>\n");
    }

    private static String quartiles(Cost cost) {
        return Figures.number(cost.lowerQuartileNanos()) + " to " + Figures.nanos(cost.upperQuartileNanos());
    }

    private static String run(TickRun run) {
        return Measurement.userOfCpu(run) + " <small>" + Measurement.verdict(run) + "</small>";
    }
}
