// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Outcome.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares two runs: which verdicts changed, and which figures changed by more than their noise. changes: for
 * the experiments of either run, in the order of the first.
 */
public record LabDiff(LabReport before, LabReport after, List<Change> changes) {
    /** before or after is null if that run lacks the experiment. */
    public record Change(Result before, Result after, List<Pair> figures) {
        String name() {
            return before == null ? after.name() : before.name();
        }

        /** Whether both runs have it, with different verdicts. */
        boolean ofVerdict() {
            return before != null && after != null && before.verdict() != after.verdict();
        }

        boolean noisy() {
            return before != null && before.noisy() || after != null && after.noisy();
        }
    }

    /** A figure that both runs have. */
    public record Pair(Figure before, Figure after) {
        /** Without repetitions the noise is unknown. A figure must then change by half in order to count. */
        private static final double ASSUMED_NOISE = 0.5;

        double change() {
            return after.value() - before.value();
        }

        /** The change that noise alone may cause. */
        double noise() {
            boolean known = before.spread() > 0 || after.spread() > 0;
            return known ? before.spread() + after.spread()
                    : ASSUMED_NOISE * Math.max(Math.abs(before.value()), Math.abs(after.value()));
        }

        boolean beyondNoise() {
            return Math.abs(change()) > noise();
        }

        /** The change as a multiple of the noise. */
        double timesItsNoise() {
            return Math.abs(change()) / noise();
        }
    }

    public static LabDiff of(LabReport before, LabReport after) {
        Map<String, Result> results = byName(before);
        Map<String, Result> afterResults = byName(after);
        List<Change> changes = new ArrayList<>();
        results.forEach((name, result) -> changes.add(change(result, afterResults.remove(name))));
        afterResults.values().forEach(result -> changes.add(change(null, result)));
        return new LabDiff(before, after, changes);
    }

    /** Whether all experiments in both runs have the same verdicts. */
    public boolean verdictsAgree() {
        return changes.stream().noneMatch(Change::ofVerdict);
    }

    private static Map<String, Result> byName(LabReport report) {
        Map<String, Result> results = new LinkedHashMap<>();
        report.results().forEach(result -> results.put(result.name(), result));
        return results;
    }

    private static Change change(Result before, Result after) {
        List<Pair> pairs = new ArrayList<>();
        if (before != null && after != null) {
            for (Figure figure : before.outcome().figures()) {
                after.outcome().figures().stream().filter(other -> sameKind(figure, other)).findFirst()
                        .ifPresent(other -> pairs.add(new Pair(figure, other)));
            }
        }
        return new Change(before, after, pairs);
    }

    private static boolean sameKind(Figure a, Figure b) {
        return a.subject().equals(b.subject()) && a.quantity().equals(b.quantity())
                && a.unit().equals(b.unit());
    }
}
