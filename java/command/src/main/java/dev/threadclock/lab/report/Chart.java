// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import com.google.gson.Gson;
import dev.threadclock.lab.model.Outcome.Curve;
import dev.threadclock.command.page.Html;
import dev.threadclock.command.page.Page;
import java.util.List;

/** Curves as a figure of a page: their data, which a script draws. */
public final class Chart {
    private Chart() {}

    /** Draws the page's figures, and opens the tables for printing. */
    public static String script() {
        return Page.resource(Chart.class, "charts.js");
    }

    /** curves: of one group, and so of one kind; at least one, and each with at least one point. */
    public static String figure(List<Curve> curves) {
        String title = Html.escape(curves.get(0).group());
        // Gson escapes anything that could end the script.
        return "<figure><figcaption>" + title + "</figcaption>\n<div role=\"img\" aria-label=\"" + title
                + "\"><noscript>A script draws this; the tables have the numbers.</noscript></div>\n"
                + "<script type=\"application/json\">" + new Gson().toJson(curves) + "</script></figure>\n";
    }
}
