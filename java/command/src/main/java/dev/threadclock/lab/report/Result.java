// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One run of an experiment: what it is, what it found, when it ran, and how much noise there was.
 *
 * @param begun ISO-8601 with zone
 * @param seconds its duration
 */
public record Result(
        String name,
        List<Integer> rows,
        String title,
        String question,
        String published,
        String conditions,
        String begun,
        double seconds,
        Noise noise,
        Outcome outcome) {
    public static Result of(Experiment experiment, Lab lab, String begun, double seconds, Noise noise,
            Outcome outcome) {
        return new Result(experiment.name(), experiment.rows(), experiment.title(), experiment.question(),
                experiment.published(),
                experiment.conditions(lab), begun, seconds, noise, outcome);
    }

    public Verdict verdict() {
        return outcome.verdict();
    }

    /** Whether there was so much noise that single figures are in doubt. */
    public boolean noisy() {
        return verdict() != Verdict.NOT_RUNNABLE && noise.much();
    }

    /** "1", "2, 3". */
    public String rowsInWords() {
        return rows.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
