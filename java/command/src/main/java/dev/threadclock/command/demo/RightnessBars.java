// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.page.Html;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Reported user time against the CPU time that it should equal, as bars on a linear scale. */
final class RightnessBars {
    private final List<JdkResult> jdks;
    private final double longest;

    RightnessBars(List<JdkResult> jdks) {
        this.jdks = jdks;
        longest = jdks.stream().flatMap(jdk -> Stream.of(jdk.before(), jdk.with()))
                .flatMap(measured -> Stream.of(measured.aroundTicks(), measured.betweenTicks()))
                .mapToLong(run -> Math.max(run.userNanos, run.cpuNanos)).max().orElse(1);
    }

    String render() {
        StringBuilder html = new StringBuilder();
        for (JdkResult jdk : jdks) {
            html.append("<div class=\"bars\"><h3>").append(Html.escape(jdk.label())).append("</h3>\n");
            html.append("<h4>A thread that works only around timer ticks</h4>\n");
            bar(html, "as it is", "before", jdk.before().aroundTicks());
            bar(html, "with threadclock", "with", jdk.with().aroundTicks());
            html.append("<h4>A thread that works only between them</h4>\n");
            bar(html, "as it is", "before", jdk.before().betweenTicks());
            bar(html, "with threadclock", "with", jdk.with().betweenTicks());
            html.append("</div>\n");
        }
        return html.toString();
    }

    private void bar(StringBuilder html, String label, String kind, TickRun run) {
        html.append(Html.format("<div class=\"bar %s\"><span class=\"label\">%s</span><span class=\"track\">"
                + "<span class=\"fill\" style=\"width:%.1f%%\"></span><span class=\"truth\""
                + " style=\"left:%.1f%%\"></span></span>"
                + "<span class=\"value\">%s <b class=\"%s\">%s</b></span></div>%n", kind, label,
                100 * run.userNanos / longest,
                100 * run.cpuNanos / longest, Measurement.userOfCpu(run),
                run.judgement().name().toLowerCase(Locale.ROOT), Measurement.verdict(run)));
    }
}
