// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.command.measure.Measurement.Cost;
import dev.threadclock.command.page.Figures;
import dev.threadclock.command.page.Html;
import java.util.List;

/** The cost of one call, as bars on a logarithmic scale. */
final class CostBars {
    private static final int FIRST_DECADE = 0;

    private final List<JdkResult> jdks;
    private final int lastDecade;

    CostBars(List<JdkResult> jdks) {
        this.jdks = jdks;
        double longest = jdks.stream().mapToDouble(jdk -> Math.max(jdk.before().user().upperQuartileNanos(),
                jdk.before().cpu().upperQuartileNanos())).max().orElse(1e4);
        lastDecade = (int) Math.ceil(Math.log10(longest));
    }

    String render() {
        StringBuilder html = new StringBuilder();
        for (JdkResult jdk : jdks) {
            html.append("<div class=\"bars\"><h3>").append(Html.escape(jdk.label())).append("</h3>\n");
            bar(html, "as it is", "before", jdk.before().user(), "");
            bar(html, "with threadclock", "with", jdk.with().user(), Figures.times(jdk.speedUp()));
            bar(html, "nanoTime()", "other", jdk.with().nanoTime(), "");
            bar(html, "total CPU time", "other", jdk.with().cpu(), "");
            scale(html);
            html.append("</div>\n");
        }
        return html.toString();
    }

    private void bar(StringBuilder html, String label, String kind, Cost cost, String remark) {
        html.append(Html.format("<div class=\"bar %s\"><span class=\"label\">%s</span><span class=\"track\">"
                + "<span class=\"fill\" style=\"width:%.1f%%\"></span></span><span class=\"value\""
                + " title=\"quartiles %s to %s\">%s%s</span></div>%n",
                kind, Html.escape(label), percent(cost.medianNanos()),
                Figures.nanos(cost.lowerQuartileNanos()),
                Figures.nanos(cost.upperQuartileNanos()), Figures.nanos(cost.medianNanos()),
                remark.isEmpty() ? "" : " <b>" + remark + "</b>"));
    }

    private void scale(StringBuilder html) {
        html.append("<div class=\"bar scale\"><span class=\"label\"></span><span class=\"track\">");
        for (int decade = FIRST_DECADE; decade <= lastDecade; decade++) {
            html.append(Html.format("<i style=\"left:%.1f%%\">%s</i>", percent(Math.pow(10, decade)),
                    Figures.decade(decade)));
        }
        html.append("</span><span class=\"value\"></span></div>\n");
    }

    private double percent(double nanos) {
        return Math.max(0, 100 * (Math.log10(nanos) - FIRST_DECADE) / (lastDecade - FIRST_DECADE));
    }
}
