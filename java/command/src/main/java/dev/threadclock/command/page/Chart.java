// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.page;

import com.google.gson.Gson;
import java.util.List;

/** Curves as a figure of a page: their data, which a script draws. */
public final class Chart {
    /**
     * A line.
     *
     * @param group curves of one group share a picture
     * @param kind how to draw it
     * @param points x and y; of PERCENTILES: x is the percentile from 0 to 100, y the latency
     */
    public record Curve(String group, String name, Kind kind, String xUnit, String yUnit, double[][] points) {
        public enum Kind {
            PERCENTILES, HISTOGRAM, LINE, LOG_LOG
        }
    }

    private Chart() {}

    /** Draws the page's figures, and opens the tables for printing. */
    public static String script() {
        return Page.resource(Chart.class, "charts.js");
    }

    /** curves: of one group, and so of one kind; at least one, and each with at least one point. */
    public static String figure(List<Curve> curves) {
        String title = Page.escape(curves.get(0).group());
        // Gson escapes anything that could end the script.
        return "<figure><figcaption>" + title + "</figcaption>\n<div role=\"img\" aria-label=\"" + title
                + "\"><noscript>A script draws this; the tables have the numbers.</noscript></div>\n"
                + "<script type=\"application/json\">" + new Gson().toJson(curves) + "</script></figure>\n";
    }
}
