// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Outcome.Curve;
import dev.threadclock.lab.model.Outcome.Curve.Kind;
import dev.threadclock.terminal.page.Html;
import dev.threadclock.terminal.page.Page;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** The curves of one group as an SVG drawing with a key, in which a script shows values under the pointer. */
public final class Chart {
    private static final int WIDTH = 520;
    private static final int HEIGHT = 300;
    private static final int LEFT = 58;
    private static final int RIGHT = 18;
    private static final int TOP = 12;
    private static final int BOTTOM = 40;
    private static final int COLOURS = 8;
    /** If values have a larger ratio than this, a linear axis would make the small ones indistinguishable. */
    private static final double WIDE_RANGE = 50;

    private final String title;
    private final List<Curve> curves;
    /** The curves of this and of other drawings that should have the same axes. */
    private final List<Curve> alike;
    private final Curve first;
    private final Axis x;
    private final Axis y;

    /** curves: at least one, all of one group and thus of one kind, each with at least one point. */
    Chart(String title, List<Curve> curves) {
        this(title, curves, curves);
    }

    /** alike: the curves of all drawings of the page that should have the same axes. */
    public Chart(String title, List<Curve> curves, List<Curve> alike) {
        this.title = title;
        this.curves = curves;
        this.alike = alike;
        first = curves.get(0);
        x = switch (first.kind()) {
            case PERCENTILES ->
                Axis.nines(values(point -> point[0]).filter(percentile -> percentile < 100).max().orElse(90));
            case HISTOGRAM -> isWide() ? logarithmic(point -> point[0], first.xUnit())
                    : linear(point -> point[0], first.xUnit());
            case LINE -> linear(point -> point[0], first.xUnit());
            case LOG_LOG -> logarithmic(point -> point[0], first.xUnit());
        };
        y = switch (first.kind()) {
            case PERCENTILES, LOG_LOG -> logarithmic(point -> point[1], first.yUnit());
            case HISTOGRAM, LINE -> linear(point -> point[1], first.yUnit());
        };
    }

    private DoubleStream values(ToDoubleFunction<double[]> coordinate) {
        return alike.stream().flatMap(curve -> Arrays.stream(curve.points())).mapToDouble(coordinate);
    }

    private boolean isWide() {
        double least = values(point -> point[0]).min().orElse(0);
        return least > 0 && values(point -> point[0]).max().orElse(0) / least > WIDE_RANGE;
    }

    private Axis linear(ToDoubleFunction<double[]> coordinate, String unit) {
        return Axis.linear(values(coordinate).min().orElse(0), values(coordinate).max().orElse(1), unit);
    }

    private Axis logarithmic(ToDoubleFunction<double[]> coordinate, String unit) {
        return Axis.logarithmic(values(coordinate).filter(value -> value > 0).min().orElse(1),
                values(coordinate).max().orElse(10), unit);
    }

    /** The script that shows values under the pointer and opens the tables for printing. */
    public static String script() {
        return Page.resource(Chart.class, "charts.js");
    }

    public String render() {
        StringBuilder html = new StringBuilder("<figure><figcaption>").append(Html.escape(title))
                .append("</figcaption>\n");
        html.append(Html.format("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n", WIDTH, HEIGHT,
                Html.escape(title)));
        grid(html);
        for (int i = 0; i < curves.size(); i++) {
            curve(html, curves.get(i), colour(i));
        }
        html.append("</svg>\n<ul class=\"key\">");
        for (int i = 0; i < curves.size(); i++) {
            html.append("<li class=\"").append(colour(i)).append("\">")
                    .append(Html.escape(curves.get(i).name()))
                    .append(" <output></output></li>\n");
        }
        return html.append("</ul></figure>\n").toString();
    }

    /** When all colours have been used, they repeat with dashed lines. */
    private static String colour(int index) {
        return "c" + index % COLOURS + (index >= COLOURS ? " dashed" : "");
    }

    private void grid(StringBuilder html) {
        for (Axis.Mark mark : y.marks()) {
            double at = down(mark.place());
            html.append(Html.format("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    LEFT, WIDTH - RIGHT, at, at));
            html.append(Html.format("<text class=\"left\" x=\"%d\" y=\"%.1f\">%s</text>%n", LEFT - 6, at + 4,
                    Html.escape(mark.label())));
        }
        for (Axis.Mark mark : x.marks()) {
            double at = across(mark.place());
            html.append(Html.format("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at,
                    at, TOP, HEIGHT - BOTTOM));
            // Labels are centred below their lines, except for the last one, which would leave the picture.
            boolean last = mark.place() > 0.99;
            html.append(Html.format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                    last ? "left" : "below", last ? WIDTH - 2 : at,
                    HEIGHT - BOTTOM + 16, Html.escape(mark.label())));
        }
        html.append(Html.format("<text class=\"below\" x=\"%d\" y=\"%d\">%s</text>%n",
                (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4,
                Html.escape(axes())));
    }

    private String axes() {
        String upwards = first.yUnit().equals("ns") ? "" : first.yUnit() + " upwards, ";
        return switch (first.kind()) {
            case PERCENTILES -> upwards + "percentiles to the right: each further nine has the same room";
            case HISTOGRAM, LINE, LOG_LOG -> upwards + first.xUnit() + " to the right"
                    + (first.kind() == Kind.LOG_LOG ? "; both logarithmic" : "");
        };
    }

    private void curve(StringBuilder html, Curve curve, String colour) {
        String line = Arrays.stream(curve.points())
                .map(point -> Html.format("%.1f,%.1f", across(x.at(point[0])), down(y.at(point[1]))))
                .collect(Collectors.joining(" "));
        String values = Arrays.stream(curve.points())
                .map(point -> xInWords(point[0]) + ": " + Quantities.value(point[1], curve.yUnit()))
                .collect(Collectors.joining("|"));
        html.append("<polyline class=\"curve ").append(colour).append("\" points=\"").append(line)
                .append("\" data-values=\"")
                .append(Html.escape(values)).append("\"/>\n");
    }

    private String xInWords(double value) {
        if (first.kind() != Kind.PERCENTILES) {
            return Quantities.value(value, first.xUnit());
        }
        return value >= 100 ? "max" : Html.format("%.6f", value).replaceFirst("\\.?0+$", "") + " %";
    }

    private static double across(double place) {
        return LEFT + (WIDTH - LEFT - RIGHT) * place;
    }

    private static double down(double place) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * place;
    }
}
