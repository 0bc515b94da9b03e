// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import dev.threadclock.command.page.Chart.Curve;
import java.util.List;

/**
 * The findings of an experiment, in the form of its part of the JSON file.
 *
 * @param finding one or two sentences with the figures that matter, which the top table shows beside the
 *     verdict
 * @param figures every number, in the order in which a table shows them
 * @param curves lines to draw: percentiles of latencies, or any x and y
 * @param attachments self-contained pages or texts to embed: flame graphs, raw output of tools
 * @param notes why the figures differ from the published ones, what disturbed it, what was left out and why
 */
public record Outcome(
        Verdict verdict,
        String finding,
        List<Figure> figures,
        List<Curve> curves,
        List<Attachment> attachments,
        List<String> notes) {

    /**
     * One number.
     *
     * @param subject what was measured: "JDK 17.0.21, legacy, 16 threads"
     * @param quantity which value of the subject: "mean", "p99.99", "system calls a read"
     * @param unit "ns", "bytes", "%", "1" for counts and ratios
     * @param spread half the range of the repetitions, in the same unit; never NaN: 0 if there was only one
     * @param published the published figure in the same unit as its author gave it, "" if there is none
     */
    public record Figure(String subject, String quantity, String unit, double value, double spread,
            String published) {
        public Figure {
            if (!Double.isFinite(value) || !Double.isFinite(spread)) {
                throw new IllegalArgumentException(
                        "no number: " + subject + ", " + quantity + ": " + value + " +- " + spread);
            }
        }
    }

    /** mediaType: text/html or text/plain. */
    public record Attachment(String title, String mediaType, String content) {}
}
