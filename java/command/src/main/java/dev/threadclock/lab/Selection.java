// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Resolves the names or rows of --only to experiments. */
final class Selection {
    private Selection() {}

    /** There is no such experiment. The message suggests similar names. */
    static final class Unknown extends Exception {
        private static final long serialVersionUID = 1;

        Unknown(String message) {
            super(message);
        }
    }

    /** The wanted experiments in the order of all; all of them if none is named. */
    static List<Experiment> of(List<Experiment> all, List<String> wanted) throws Unknown {
        if (wanted.isEmpty()) {
            return all;
        }
        Set<Experiment> chosen = new LinkedHashSet<>();
        for (String each : wanted) {
            List<Experiment> meant = all.stream().filter(experiment -> isMeant(experiment, each)).toList();
            if (meant.isEmpty()) {
                throw new Unknown(unknown(all, each));
            }
            chosen.addAll(meant);
        }
        return all.stream().filter(chosen::contains).toList();
    }

    private static boolean isMeant(Experiment experiment, String wanted) {
        return experiment.name().equals(wanted)
                || experiment.rows().stream().map(String::valueOf).anyMatch(wanted::equals);
    }

    private static String unknown(List<Experiment> all, String wanted) {
        if (wanted.matches("\\d+")) {
            return "no experiment has the row " + wanted + "; the rows are "
                    + all.stream().flatMap(each -> each.rows().stream())
                            .sorted().distinct().map(String::valueOf).collect(Collectors.joining(", "));
        }
        List<String> names = new ArrayList<>(all.stream().map(Experiment::name).toList());
        List<String> containing = names.stream().filter(name -> !wanted.isEmpty() && name.contains(wanted))
                .toList();
        List<String> likely = !containing.isEmpty() ? containing
                : names.stream().min(Comparator.comparingInt(name -> distance(name, wanted))).stream()
                        .toList();
        return "no such experiment: " + wanted.replaceAll("\\p{Cntrl}", "?") + "; did you mean "
                + String.join(" or ", likely)
                + "? --list names them all";
    }

    /** The number of letters to add, omit or change (the Levenshtein distance). */
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
