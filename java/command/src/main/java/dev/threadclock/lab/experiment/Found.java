// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Latencies;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Outcome.Attachment;
import dev.threadclock.command.page.Chart.Curve;
import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.lab.model.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Collects the findings of an experiment. */
final class Found {
    private final List<Figure> figures = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();
    private final List<Attachment> attachments = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    void figure(String subject, String quantity, String unit, double value) {
        figure(subject, quantity, unit, value, 0, "");
    }

    void figure(String subject, String quantity, String unit, double value, double spread, String published) {
        figures.add(new Figure(subject, quantity, unit, value, spread, published));
    }

    void percentiles(String group, String name, Histogram latencies) {
        curves.add(new Curve(group, name, Curve.Kind.PERCENTILES, "%", "ns", Latencies.curve(latencies)));
    }

    void curve(Curve curve) {
        curves.add(curve);
    }

    void attach(String title, String mediaType, String content) {
        attachments.add(new Attachment(title, mediaType, content));
    }

    void note(String note) {
        notes.add(note);
    }

    /** Adds a note that may come up again with each JDK. */
    void noteOnce(String note) {
        if (!notes.contains(note)) {
            note(note);
        }
    }

    Outcome outcome(Verdict verdict, String finding) {
        return new Outcome(verdict, finding, List.copyOf(figures), List.copyOf(curves),
                List.copyOf(attachments),
                List.copyOf(notes));
    }
}
