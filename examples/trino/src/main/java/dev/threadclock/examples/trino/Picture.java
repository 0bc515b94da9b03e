// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.Turns.Way;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Draws differences of CPU time with their intervals in SVG, one per line. (The Picture of the other examples
 * draws bars, which begin at zero and have no interval.)
 */
final class Picture {
    private static final int WIDTH = 760;
    private static final int LEFT = 330;
    private static final int RIGHT = 30;
    private static final int TOP = 34;
    private static final int ROW = 22;

    /** The colours are those of threadclock's pages. */
    private static final String STYLE = """
            <style>
              svg { background: #fff; }
              text { font: 12px system-ui, sans-serif; fill: #1b1f24; }
              .soft { fill: #5b6470; }
              .end { text-anchor: end; }
              .middle { text-anchor: middle; }
              line { stroke: #dfe3e8; }
              .zero { stroke: #5b6470; }
              .without { stroke: #c2410c; fill: #c2410c; }
              .with { stroke: #0f766e; fill: #0f766e; }
              line.without, line.with { stroke-width: 3; }
              @media (prefers-color-scheme: dark) {
                svg { background: #12151a; }
                text { fill: #e7eaee; }
                .soft { fill: #9aa4b1; }
                line { stroke: #323a45; }
                .zero { stroke: #9aa4b1; }
                .without { stroke: #fb923c; fill: #fb923c; }
                .with { stroke: #2dd4bf; fill: #2dd4bf; }
              }
            </style>
            """;

    private final List<Measured> measured;
    private final StringBuilder svg = new StringBuilder();
    private double least;
    private double most;
    private int y = TOP;

    Picture(List<Measured> measured) {
        this.measured = measured;
    }

    private record Row(String label, String kind, Interval percent) {}

    private static List<Row> rows(Measured one) {
        return List.of(
                new Row("Trino unchanged, with threadclock", "with",
                        one.unchanged().percentMore(Way.WITHOUT, Way.WITH, null)),
                new Row("user time per operator, without threadclock", "without",
                        one.user().percentMore(Way.WITHOUT, Way.USER_WITHOUT, null)),
                new Row("user time per operator, with threadclock", "with",
                        one.user().percentMore(Way.WITHOUT, Way.USER_WITH, null)));
    }

    String svg() {
        double lowest = Math.min(0, ends().min().orElse(0));
        double highest = Math.max(1, ends().max().orElse(0));
        double range = highest - lowest;
        double step = range > 60 ? 20 : range > 25 ? 10 : range > 8 ? 5 : 1;
        least = step * Math.floor(lowest / step);
        most = step * Math.ceil(highest / step);
        int height = TOP + measured.size() * 4 * ROW + 46;
        svg.append("<!-- SPDX-License-Identifier: Apache-2.0; written by examples/trino/run -->\n");
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
                + " aria-label=\"CPU time of Trino's process, difference from Trino as it is\">", WIDTH,
                height);
        svg.append(STYLE);
        add("<text x=\"12\" y=\"20\">CPU time of the process for four TPC-H queries, difference from Trino as"
                + " it is; bars: 95 %% confidence</text>");
        for (double percent = least; percent <= most; percent += step) {
            add("<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                    percent == 0 ? "zero" : "grid", across(percent), across(percent), TOP, height - 40);
            add("<text class=\"soft middle\" x=\"%.1f\" y=\"%d\">%+.0f %%</text>", across(percent),
                    height - 22, percent);
        }
        for (Measured one : measured) {
            y += ROW;
            add("<text x=\"12\" y=\"%d\" font-weight=\"600\">%s</text>", y, one.name());
            rows(one).forEach(this::row);
        }
        return svg.append("</svg>\n").toString();
    }

    private void row(Row row) {
        y += ROW;
        Interval percent = row.percent;
        add("<text class=\"soft end\" x=\"%d\" y=\"%d\">%s</text>", LEFT - 14, y, row.label);
        add("<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", row.kind,
                across(percent.mean() - percent.half()), across(percent.mean() + percent.half()), y - 4,
                y - 4);
        add("<circle class=\"%s\" cx=\"%.1f\" cy=\"%d\" r=\"4.5\"><title>%+.2f %%, +-%.2f</title></circle>",
                row.kind, across(percent.mean()), y - 4, percent.mean(), percent.half());
    }

    private DoubleStream ends() {
        return measured.stream().flatMap(one -> rows(one).stream()).map(Row::percent).flatMapToDouble(
                percent -> DoubleStream.of(percent.mean() - percent.half(), percent.mean() + percent.half()));
    }

    private double across(double percent) {
        return LEFT + (WIDTH - LEFT - RIGHT) * (percent - least) / (most - least);
    }

    private void add(String form, Object... values) {
        svg.append(String.format(Locale.ROOT, form, values)).append('\n');
    }
}
