// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.page.Chart;
import dev.threadclock.lab.model.Outcome.Attachment;
import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.command.page.Chart.Curve.Kind;
import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.command.page.Html;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One experiment of the page: its question, published and measured results, drawings, numbers, attachments.
 */
final class ResultHtml {
    private final Result result;
    private final StringBuilder html = new StringBuilder();

    ResultHtml(Result result) {
        this.result = result;
    }

    String render() {
        html.append("<section id=\"").append(Html.escape(result.name()))
                .append("\">\n<h2><span class=\"rows\">")
                .append(result.rowsInWords()).append("</span> ").append(Html.escape(result.title()))
                .append(' ').append(badge(result))
                .append("</h2>\n");
        html.append("<p>").append(Html.escape(result.question())).append("</p>\n<dl>\n");
        part("Here", result.outcome().finding(), "here");
        part("Published", result.published().isEmpty() ? "By nobody: new here." : result.published(), "");
        part("How", result.conditions(), "");
        html.append("</dl>\n");
        notes();
        charts();
        figures();
        result.outcome().attachments().forEach(this::attachment);
        html.append("<p class=\"soft small").append(result.noisy() ? " noisy" : "").append("\">")
                .append(Html.escape(result.name()))
                .append(", ").append(Html.escape(result.begun().replace('T', ' ')))
                .append(Html.format(", took %.0f s. Noise: ", result.seconds()))
                .append(Html.escape(result.noise().line())).append(".</p>\n");
        return html.append("</section>\n").toString();
    }

    static String badge(Result result) {
        return "<span class=\"verdict " + Summary.slug(result.verdict()) + "\">" + result.verdict().words()
                + "</span>";
    }

    private void part(String label, String text, String kind) {
        html.append("<div class=\"").append(kind).append("\"><dt>").append(label).append("</dt><dd>")
                .append(Html.escape(text))
                .append("</dd></div>\n");
    }

    private void notes() {
        List<String> notes = result.outcome().notes();
        if (!notes.isEmpty()) {
            html.append("<ul class=\"notes\">");
            notes.forEach(note -> html.append("<li>").append(Html.escape(note)).append("</li>\n"));
            html.append("</ul>\n");
        }
    }

    private void charts() {
        Map<String, List<Curve>> groups = result.outcome().curves().stream()
                .filter(curve -> curve.points().length > 0)
                .collect(Collectors.groupingBy(Curve::group, LinkedHashMap::new, Collectors.toList()));
        if (!groups.isEmpty()) {
            html.append("<div class=\"grid\">\n");
            groups.values().forEach(curves -> {
                html.append(Chart.figure(curves));
                if (curves.get(0).kind() == Kind.PERCENTILES) {
                    html.append(Chart.figure(curves.stream().map(Histogram::of).toList()));
                }
            });
            html.append("</div>\n");
        }
    }

    private void figures() {
        List<Figure> figures = result.outcome().figures();
        if (figures.isEmpty()) {
            return;
        }
        boolean published = figures.stream().anyMatch(figure -> !figure.published().isEmpty());
        html.append("<details class=\"figures\"><summary>")
                .append(figures.size() == 1 ? "The number" : "All " + figures.size() + " numbers")
                .append("</summary>\n<div class=\"wide\"><table><thead><tr><th></th><th>here</th>")
                .append(published ? "<th>published</th>" : "").append("</tr></thead>\n");
        String subject = null;
        for (Figure figure : figures) {
            if (!figure.subject().equals(subject)) {
                subject = figure.subject();
                html.append("<tr><th colspan=\"3\" class=\"subject\">").append(Html.escape(subject))
                        .append("</th></tr>\n");
            }
            html.append("<tr><th>").append(Html.escape(figure.quantity())).append("</th><td>")
                    .append(Html.escape(Quantities.withSpread(figure)))
                    .append("</td>")
                    .append(published ? "<td>" + Html.escape(figure.published()) + "</td>" : "")
                    .append("</tr>\n");
        }
        html.append("</table></div></details>\n");
    }

    /** A separate page in a frame, which may only run its scripts: its policy forbids it to fetch. */
    private void attachment(Attachment attachment) {
        html.append("<details><summary>").append(Html.escape(attachment.title())).append("</summary>\n");
        if (attachment.mediaType().equals("text/html")) {
            html.append("<iframe sandbox=\"allow-scripts\" loading=\"lazy\" title=\"")
                    .append(Html.escape(attachment.title()))
                    .append("\" srcdoc=\"").append(Html.escape(attachment.content())).append("\"></iframe>");
        } else {
            html.append("<pre>").append(Html.escape(attachment.content())).append("</pre>");
        }
        html.append("</details>\n");
    }
}
