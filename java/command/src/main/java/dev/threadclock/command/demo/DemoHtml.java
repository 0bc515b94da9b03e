// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Latency;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.command.page.Chart;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.page.Html;
import dev.threadclock.command.page.Page;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The result as one self-contained page: demo.html with the figures filled in. */
public final class DemoHtml {
    private final DemoReport report;
    private final List<JdkResult> jdks;

    DemoHtml(DemoReport report) {
        this.report = report;
        this.jdks = report.complete();
    }

    /** The page for a file written by 'threadclock demo --json'. */
    public static String render(Path json) {
        return new DemoHtml(DemoReport.fromJson(json)).render();
    }

    String render() {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("HEADLINE", headline());
        parts.put("NOTICES", notices());
        parts.put("COST", new CostBars(jdks).render());
        parts.put("PERCENTILES", jdks.stream().map(DemoHtml::percentiles).collect(Collectors.joining()));
        parts.put("RIGHTNESS", new RightnessBars(jdks).render());
        parts.put("TABLE", new HtmlTable(jdks).render());
        parts.put("MACHINE", Html.escape(report.machine().line() + ", " + report.machine().os()));
        parts.put("JDKS", report.jdks().stream()
                .map(jdk -> "<li>" + Html.escape(jdk.label()) + " <code>" + Html.escape(jdk.home())
                        + "</code></li>")
                .collect(Collectors.joining("\n")));
        parts.put("MEASURED", Html.escape(report.measured()));
        parts.put("VERSION", Html.escape(report.threadclock()));
        return Page.render(DemoHtml.class, "demo", "threadclock demo", parts, Chart.script());
    }

    private String headline() {
        if (jdks.isEmpty()) {
            return "Nothing could be measured";
        }
        DoubleSummaryStatistics speedUp = jdks.stream().mapToDouble(JdkResult::speedUp).summaryStatistics();
        String least = Figures.number(speedUp.getMin());
        String most = Figures.number(speedUp.getMax());
        boolean right = jdks.stream().map(JdkResult::with)
                .allMatch(with -> with.aroundTicks().right() && with.betweenTicks().right());
        return "A thread’s user time, " + (least.equals(most) ? "" : least + " to ") + most
                + " times faster" + (right ? ", and right" : "");
    }

    private String notices() {
        StringBuilder html = new StringBuilder();
        if (report.quick()) {
            html.append(
                    "<p class=\"notice\">Measured with --quick: the figures show the order of magnitude"
                            + " only.</p>\n");
        }
        if (!report.disturbance().isEmpty()) {
            html.append("<p class=\"notice\">").append(report.disturbance()).append("</p>\n");
        }
        report.failed()
                .forEach(jdk -> html.append("<p class=\"notice\"><b>").append(Html.escape(jdk.label()))
                        .append("</b> failed ")
                        .append(Html.escape(jdk.failure())).append("</p>\n"));
        return html.toString();
    }

    private static String percentiles(JdkResult jdk) {
        return Chart.figure(List.of(curve(jdk, "as it is", jdk.before().latency()),
                curve(jdk, "with threadclock", jdk.with().latency()),
                curve(jdk, "the two nanoTime() calls alone", jdk.with().emptyLatency())));
    }

    private static Curve curve(JdkResult jdk, String name, Latency latency) {
        return new Curve(jdk.label(), name, Curve.Kind.PERCENTILES, "%", "ns", latency.curve().stream()
                .map(point -> new double[]{100 * point[0], point[1]}).toArray(double[][]::new));
    }
}
