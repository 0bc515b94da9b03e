// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Machine;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Outcome.Attachment;
import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.command.page.Chart.Curve.Kind;
import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.lab.model.Verdict;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reports for tests, with text that needs escaping wherever an experiment may supply text. */
final class Reports {
    static final String HOSTILE = "</script><script src=\"http://evil.example/x.js\"> {{VERDICTS}} $1 & 'x'"
            + " | \"y\"";
    static final Noise QUIET = new Noise(0, 1.5, 2.25, 0.5);
    static final Noise LOUD = new Noise(0, 40, 2, 3);

    private Reports() {}

    static LabReport of(Result... results) {
        Machine machine = new Machine("A CPU", 2, true, "6.1", "Some Linux", 250, "tsc", 0.25);
        Map<String, Finding> facts = new LinkedHashMap<>();
        facts.put("kernel", new Finding("kernel", Finding.Level.OK, "6.1", "Linux 6.1", ""));
        return new LabReport("1.2.3", "2026-01-31T10:00:00Z", true, false, true, machine, facts,
                List.of(new LabReport.Installation("JDK 17 Some", "/jdk")), List.of(results));
    }

    static Result result(String name, int row, Verdict verdict, Noise noise, Figure... figures) {
        return new Result(name, List.of(row), "title of " + name, "Is it?", "by A: 11 us", "two JVMs",
                "2026-01-31T10:00:00Z", 1.5, noise,
                new Outcome(verdict, "8 times", List.of(figures), List.of(), List.of(), List.of()));
    }

    static Figure mean(double value, double spread) {
        return new Figure("JDK 17", "mean", "ns", value, spread, "");
    }

    /** A result with every kind of content, all of it hostile. */
    static Result hostile() {
        List<Curve> curves = Stream.concat(
                Arrays.stream(Kind.values())
                        .map(kind -> new Curve("group " + kind + HOSTILE, HOSTILE, kind, HOSTILE, "ns",
                                new double[][]{{0, 5}, {50, 10}, {99.9999, 100}, {100, 5_000_000}})),
                Stream.of(new Curve("empty", HOSTILE, Kind.LINE, "s", "ns", new double[0][]))).toList();
        return new Result("hostile", List.of(3), HOSTILE, HOSTILE, HOSTILE, HOSTILE, "2026-01-31T10:00:00Z",
                1.5, LOUD,
                new Outcome(Verdict.NOT_CONFIRMED, HOSTILE,
                        List.of(new Figure(HOSTILE, HOSTILE, HOSTILE, -1.25, 0.25, HOSTILE)), curves,
                        List.of(new Attachment(HOSTILE, "text/html", "<h1>" + HOSTILE + "</h1>"),
                                new Attachment("log", "text/plain", HOSTILE)),
                        List.of(HOSTILE)));
    }
}
