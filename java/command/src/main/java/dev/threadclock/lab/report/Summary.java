// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.lab.model.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A run in one line, and what readers must know before they believe it; the same in all forms of the report.
 */
final class Summary {
    private Summary() {}

    /** "17 experiments: 13 confirmed, 2 not confirmed, 2 not runnable here". */
    static String headline(LabReport report) {
        int count = report.results().size();
        return count + (count == 1 ? " experiment: " : " experiments: ") + Arrays.stream(Verdict.values())
                .filter(verdict -> !report.with(verdict).isEmpty())
                .map(verdict -> report.with(verdict).size() + " " + verdict.words())
                .collect(Collectors.joining(", "));
    }

    static List<String> cautions(LabReport report) {
        List<String> cautions = new ArrayList<>();
        if (report.quick()) {
            cautions.add("Measured with --quick: the figures show the order of magnitude only.");
        }
        if (!report.complete()) {
            cautions.add("Not all experiments were asked for: --only.");
        }
        List<Result> ran = report.results().stream()
                .filter(result -> result.verdict() != Verdict.NOT_RUNNABLE).toList();
        List<String> noisy = ran.stream().filter(Result::noisy).map(Result::name).toList();
        if (!noisy.isEmpty()) {
            String which = noisy.size() == 1 || noisy.size() < ran.size() ? inWords(noisy)
                    : "all experiments";
            cautions.add("The machine was noisy during " + which
                    + ": others had its CPUs meanwhile, or they were slower than at best."
                    + " Single figures there are in doubt; run it again when the machine is quiet.");
        }
        List<String> refused = report.with(Verdict.NOT_RUNNABLE).stream().map(Result::name).toList();
        if (!refused.isEmpty() && !report.root()) {
            cautions.add(
                    "It ran without root. The findings say whether root would have made " + inWords(refused)
                            + " possible.");
        }
        return cautions;
    }

    /** "a, b and c". */
    private static String inWords(List<String> names) {
        int last = names.size() - 1;
        return last == 0 ? names.get(0)
                : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }

    /** A verdict as part of a class name or an anchor: "not-confirmed". */
    static String slug(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
