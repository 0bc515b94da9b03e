// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.demo;

import dev.threadclock.terminal.page.Figures;
import dev.threadclock.terminal.page.Html;
import dev.threadclock.terminal.page.PercentileAxis;
import java.util.List;
import java.util.stream.Stream;

/**
 * Percentiles of single reads on one JDK, as an SVG drawing: nines to the right, nanoseconds (logarithmic)
 * upwards.
 */
final class PercentileChart {
    private static final int WIDTH = 360;
    private static final int HEIGHT = 260;
    private static final int LEFT = 50;
    private static final int RIGHT = 10;
    private static final int TOP = 10;
    private static final int BOTTOM = 34;
    private static final int FIRST_DECADE = 1;
    private static final double LAST_LABEL_ROOM = 0.7;

    private final PercentileAxis axis;
    private final int lastDecade;

    /** All charts of a page have the same axes. */
    PercentileChart(List<JdkResult> jdks) {
        axis = new PercentileAxis(latencies(jdks).mapToLong(Latency::reads).max().orElse(10));
        long longest = latencies(jdks).mapToLong(Latency::maxNanos).max().orElse(1_000);
        lastDecade = (int) Math.ceil(Math.log10(longest));
    }

    private static Stream<Latency> latencies(List<JdkResult> jdks) {
        return jdks.stream().flatMap(
                jdk -> Stream.of(jdk.before().latency(), jdk.with().latency(), jdk.with().emptyLatency()));
    }

    String render(JdkResult jdk) {
        StringBuilder svg = new StringBuilder();
        svg.append(Html.format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Latency percentiles, %s\">%n", WIDTH,
                HEIGHT,
                Html.escape(jdk.label())));
        grid(svg);
        curve(svg, "other", "two nanoTime() calls, nothing between", jdk.with().emptyLatency());
        curve(svg, "before", "as it is", jdk.before().latency());
        curve(svg, "with", "with threadclock", jdk.with().latency());
        return svg.append("</svg>\n").toString();
    }

    private void grid(StringBuilder svg) {
        for (int decade = FIRST_DECADE; decade <= lastDecade; decade++) {
            double y = y(Math.pow(10, decade));
            svg.append(Html.format("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
                    WIDTH - RIGHT, y, y));
            svg.append(Html.format("<text class=\"left\" x=\"%d\" y=\"%.1f\">%s</text>%n", LEFT - 6, y + 4,
                    Figures.decade(decade)));
        }
        for (int nines = 0; nines <= axis.end(); nines++) {
            double x = x(nines);
            svg.append(Html.format("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x,
                    TOP, HEIGHT - BOTTOM));
            // Long labels would overlap (so every other one is omitted from 99.99 % on) or leave the picture.
            if ((nines <= 3 || nines % 2 == 1) && nines < axis.end() - LAST_LABEL_ROOM) {
                svg.append(Html.format("<text class=\"below\" x=\"%.1f\" y=\"%d\">%s</text>%n", x,
                        HEIGHT - BOTTOM + 15,
                        PercentileAxis.label(nines)));
            }
        }
        svg.append(Html.format(
                "<text class=\"below\" x=\"%d\" y=\"%d\">reads, from the fastest to the slowest</text>%n",
                (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4));
    }

    private void curve(StringBuilder svg, String kind, String name, Latency latency) {
        svg.append(Html.format("<polyline class=\"curve %s\" points=\"", kind));
        for (double[] point : latency.curve()) {
            svg.append(Html.format("%.1f,%.1f ",
                    x(Math.min(axis.position(point[0]), Math.log10(latency.reads()))), y(point[1])));
        }
        svg.append("\"/>\n");
        dot(svg, kind, name, "50 %", axis.position(0.5), latency.p50Nanos());
        dot(svg, kind, name, "90 %", 1, latency.p90Nanos());
        dot(svg, kind, name, "99 %", 2, latency.p99Nanos());
        dot(svg, kind, name, "99.9 %", 3, latency.p999Nanos());
        dot(svg, kind, name, "99.99 %", 4, latency.p9999Nanos());
    }

    private void dot(StringBuilder svg, String kind, String name, String percentile, double nines,
            long nanos) {
        if (nines <= axis.end()) {
            svg.append(Html.format(
                    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>%s, %s:"
                            + " %s</title></circle>%n",
                    kind,
                    x(nines), y(nanos), Html.escape(name), percentile, Figures.duration(nanos)));
        }
    }

    private double x(double nines) {
        return LEFT + (WIDTH - LEFT - RIGHT) * nines / axis.end();
    }

    private double y(double nanos) {
        double height = (Math.log10(Math.max(nanos, Math.pow(10, FIRST_DECADE))) - FIRST_DECADE)
                / (lastDecade - FIRST_DECADE);
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * height;
    }
}
