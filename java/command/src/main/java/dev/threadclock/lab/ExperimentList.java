// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Lists the experiments by name, for --list. */
final class ExperimentList {
    private ExperimentList() {}

    static List<String> lines(List<Experiment> experiments, Lab lab) {
        int width = experiments.stream().mapToInt(experiment -> experiment.name().length()).max().orElse(0);
        String form = "%-5s %-" + width + "s %10s  %s";
        List<String> lines = new ArrayList<>();
        lines.add(String.format(form, "row", "name", "about", "what"));
        for (Experiment each : experiments) {
            String rows = each.rows().stream().map(String::valueOf).collect(Collectors.joining(","));
            lines.add(
                    String.format(form, rows, each.name(), LabRun.inWords(each.seconds(lab)), each.title()));
        }
        int seconds = experiments.stream().mapToInt(each -> each.seconds(lab)).sum();
        lines.add(String.format(form, "", "together", LabRun.inWords(seconds),
                lab.quick() ? "with --quick" : "--quick is shorter"));
        return lines;
    }
}
