// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import com.google.gson.Gson;
import dev.threadclock.command.demo.DemoReport.JdkResult;
import dev.threadclock.command.measure.Measurement.Cost;
import dev.threadclock.command.measure.Measurement.Latency;
import dev.threadclock.command.measure.Measurement;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.page.Page;
import dev.threadclock.command.probe.TickRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The result as one self-contained page: demo.html with the figures filled in. */
public final class DemoHtml {
    private final DemoReport report;
    private final List<JdkResult> jdks;
    /** The scale of costs ends at ten to the power of this, in nanoseconds. */
    private final int lastDecade;
    private final double longestRun;

    DemoHtml(DemoReport report) {
        this.report = report;
        this.jdks = report.complete();
        double dearest = jdks.stream().mapToDouble(jdk -> Math.max(jdk.before().user().upperQuartileNanos(),
                jdk.before().cpu().upperQuartileNanos())).max().orElse(1e4);
        lastDecade = (int) Math.ceil(Math.log10(dearest));
        longestRun = jdks.stream().flatMap(jdk -> Stream.of(jdk.before(), jdk.with()))
                .flatMap(measured -> Stream.of(measured.aroundTicks(), measured.betweenTicks()))
                .mapToLong(run -> Math.max(run.userNanos, run.cpuNanos)).max().orElse(1);
    }

    /** The page for a file written by 'threadclock demo --json'. */
    public static String render(Path json) {
        return new DemoHtml(DemoReport.fromJson(json)).render();
    }

    String render() {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("HEADLINE", headline());
        parts.put("NOTICES", notices());
        parts.put("COST", bars(this::costBars));
        parts.put("PERCENTILES", jdks.stream().map(DemoHtml::percentiles).collect(Collectors.joining()));
        parts.put("RIGHTNESS", bars(this::rightnessBars));
        parts.put("TABLE", table());
        parts.put("MACHINE", Page.escape(report.machine().line() + ", " + report.machine().os()));
        parts.put("JDKS", report.jdks().stream()
                .map(jdk -> "<li>" + Page.escape(jdk.label()) + " <code>" + Page.escape(jdk.home())
                        + "</code></li>")
                .collect(Collectors.joining("\n")));
        parts.put("MEASURED", Page.escape(report.measured()));
        parts.put("VERSION", Page.escape(report.threadclock()));
        return Page.render(DemoHtml.class, "demo", "threadclock demo", parts,
                Page.resource(DemoHtml.class, "demo.js"));
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
        List<String> notices = new ArrayList<>();
        if (report.quick()) {
            notices.add("Measured with --quick: the figures show the order of magnitude only.");
        }
        if (!report.disturbance().isEmpty()) {
            notices.add(report.disturbance());
        }
        report.failed().forEach(jdk -> notices.add(
                "<b>" + Page.escape(jdk.label()) + "</b> failed " + Page.escape(jdk.failure())));
        return notices.stream().map(text -> "<p class=\"notice\">" + text + "</p>\n")
                .collect(Collectors.joining());
    }

    /** points: the percentile from 0 to 100, and the latency in nanoseconds. */
    private record Curve(String name, List<double[]> points) {
        Curve(String name, Latency latency) {
            this(name,
                    latency.curve().stream().map(point -> new double[]{100 * point[0], point[1]}).toList());
        }
    }

    /** The curves' data, which a script draws. */
    private static String percentiles(JdkResult jdk) {
        String title = Page.escape(jdk.label());
        List<Curve> curves = List.of(new Curve("as it is", jdk.before().latency()),
                new Curve("with threadclock", jdk.with().latency()),
                new Curve("the two nanoTime() calls alone", jdk.with().emptyLatency()));
        // Gson escapes anything that could end the script.
        return "<figure><figcaption>" + title + "</figcaption>\n<div role=\"img\" aria-label=\"" + title
                + "\"><noscript>A script draws this; the tables have the numbers.</noscript></div>\n"
                + "<script type=\"application/json\">" + new Gson().toJson(curves) + "</script></figure>\n";
    }

    private String bars(Function<JdkResult, String> barsOf) {
        return jdks.stream().map(jdk -> "<div class=\"bars\"><h3>" + Page.escape(jdk.label()) + "</h3>\n"
                + barsOf.apply(jdk) + "</div>\n").collect(Collectors.joining());
    }

    /** The cost of one call, as bars on a logarithmic scale. */
    private String costBars(JdkResult jdk) {
        return costBar("as it is", "before", jdk.before().user(), "")
                + costBar("with threadclock", "with", jdk.with().user(), Figures.times(jdk.speedUp()))
                + costBar("nanoTime()", "other", jdk.with().nanoTime(), "")
                + costBar("total CPU time", "other", jdk.with().cpu(), "") + scale();
    }

    private String costBar(String label, String kind, Cost cost, String remark) {
        return Page.format("<div class=\"bar %s\"><span class=\"label\">%s</span><span class=\"track\">"
                + "<span class=\"fill\" style=\"width:%.1f%%\"></span></span><span class=\"value\""
                + " title=\"quartiles %s to %s\">%s%s</span></div>%n",
                kind, Page.escape(label), percent(cost.medianNanos()),
                Figures.nanos(cost.lowerQuartileNanos()),
                Figures.nanos(cost.upperQuartileNanos()), Figures.nanos(cost.medianNanos()),
                remark.isEmpty() ? "" : " <b>" + remark + "</b>");
    }

    private String scale() {
        return "<div class=\"bar scale\"><span class=\"label\"></span><span class=\"track\">"
                + IntStream.rangeClosed(0, lastDecade)
                        .mapToObj(decade -> Page.format("<i style=\"left:%.1f%%\">%s</i>",
                                percent(Math.pow(10, decade)), Figures.decade(decade)))
                        .collect(Collectors.joining())
                + "</span><span class=\"value\"></span></div>\n";
    }

    private double percent(double nanos) {
        return Math.max(0, 100 * Math.log10(nanos) / lastDecade);
    }

    /** Reported user time against the CPU time that it should equal, as bars on a linear scale. */
    private String rightnessBars(JdkResult jdk) {
        return "<h4>A thread that works only around timer ticks</h4>\n"
                + runBar("as it is", "before", jdk.before().aroundTicks())
                + runBar("with threadclock", "with", jdk.with().aroundTicks())
                + "<h4>A thread that works only between them</h4>\n"
                + runBar("as it is", "before", jdk.before().betweenTicks())
                + runBar("with threadclock", "with", jdk.with().betweenTicks());
    }

    private String runBar(String label, String kind, TickRun run) {
        return Page.format("<div class=\"bar %s\"><span class=\"label\">%s</span><span class=\"track\">"
                + "<span class=\"fill\" style=\"width:%.1f%%\"></span><span class=\"truth\""
                + " style=\"left:%.1f%%\"></span></span>"
                + "<span class=\"value\">%s <b class=\"%s\">%s</b></span></div>%n", kind, label,
                100 * run.userNanos / longestRun,
                100 * run.cpuNanos / longestRun, Measurement.userOfCpu(run),
                run.judgement().name().toLowerCase(Locale.ROOT), Measurement.verdict(run));
    }

    /** All figures, as a table. */
    private String table() {
        StringBuilder html = new StringBuilder(
                "<table>\n<thead><tr><th></th><th>as it is</th><th>with threadclock</th></tr></thead>\n");
        for (JdkResult jdk : jdks) {
            html.append("<tbody><tr><th colspan=\"3\" class=\"jdk\">").append(Page.escape(jdk.label()))
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
        html.append(Page.format("<tr><th>%s</th><td>%s</td><td>%s</td></tr>%n", label,
                cell.apply(jdk.before()), cell.apply(jdk.with())));
    }

    private static String quartiles(Cost cost) {
        return Figures.number(cost.lowerQuartileNanos()) + " to " + Figures.nanos(cost.upperQuartileNanos());
    }

    private static String run(TickRun run) {
        return Measurement.userOfCpu(run) + " <small>" + Measurement.verdict(run) + "</small>";
    }
}
