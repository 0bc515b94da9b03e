// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.page.Chart;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.page.Html;
import dev.threadclock.command.page.Page;
import java.util.Map;
import java.util.stream.Collectors;

/** The report as one self-contained page: lab.html with verdicts, experiments and machine filled in. */
public final class LabHtml {
    private final LabReport report;

    public LabHtml(LabReport report) {
        this.report = report;
    }

    public String render() {
        return Page.render(LabHtml.class, "lab", "threadclock lab", Map.of(
                "HEADLINE", Html.escape(Summary.headline(report)),
                "CAUTIONS", Summary.cautions(report).stream()
                        .map(caution -> "<p class=\"notice\">" + Html.escape(caution) + "</p>\n")
                        .collect(Collectors.joining()),
                "MACHINE", Html.escape(report.machine().line() + ", " + report.machine().os()),
                "VERDICTS", report.results().stream().map(LabHtml::verdict).collect(Collectors.joining()),
                "EXPERIMENTS",
                report.results().stream().map(result -> new ResultHtml(result).render())
                        .collect(Collectors.joining()),
                "FACTS", report.facts().values().stream().map(LabHtml::fact)
                        .collect(Collectors.joining("", "",
                                row("load average",
                                        Html.format("%.2f at the start", report.machine().loadAverage())))),
                "JDKS",
                report.jdks().stream()
                        .map(jdk -> "<li>" + Html.escape(jdk.label()) + " <code>" + Html.escape(jdk.home())
                                + "</code></li>\n")
                        .collect(Collectors.joining()),
                "MEASURED", Html.escape(report.begun().replace('T', ' ')),
                "VERSION", Html.escape(report.threadclock())), Chart.script());
    }

    private static String verdict(Result result) {
        return "<tr><td class=\"rows\">" + result.rowsInWords() + "</td><td class=\"claim\"><a href=\"#"
                + Html.escape(result.name()) + "\">"
                + Html.escape(result.title()) + "</a></td><td class=\"found\">"
                + Html.escape(result.outcome().finding()) + "</td><td>"
                + ResultHtml.badge(result) + "</td></tr>\n";
    }

    private static String fact(Finding finding) {
        return row(finding.label(), finding.text());
    }

    private static String row(String label, String text) {
        return "<tr><th>" + Html.escape(label) + "</th><td>" + Html.escape(text) + "</td></tr>\n";
    }
}
