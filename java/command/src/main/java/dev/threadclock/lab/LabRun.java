// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.report.Result;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Progress;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs the chosen experiments one after the other, reports progress, and stores each result at once. */
final class LabRun {
    private final List<Experiment> experiments;
    private final RunFolder folder;
    private final Lab lab;
    private final Progress progress;

    /** lab: the same for all experiments, except that each gets its own scratch folder and progress. */
    LabRun(List<Experiment> experiments, RunFolder folder, Lab lab, Progress progress) {
        this.experiments = experiments;
        this.folder = folder;
        this.lab = lab;
        this.progress = progress;
    }

    static String now() {
        return OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** One result for each experiment, in their order. */
    List<Result> run() {
        Map<Integer, Result> results = new TreeMap<>();
        for (int i = 0; i < experiments.size(); i++) {
            int place = i;
            folder.kept(experiments.get(i).name()).ifPresent(result -> results.put(place, result));
        }
        if (!results.isEmpty()) {
            progress.keep("Continuing an interrupted run: " + results.size() + " of "
                    + experiments.size()
                    + " experiments are done; --fresh starts again");
        }
        try {
            NoiseMeter meter = new NoiseMeter();
            for (int i = 0; i < experiments.size(); i++) {
                if (!results.containsKey(i)) {
                    Result result = measure(experiments.get(i), i, meter, left(results));
                    folder.keep(result);
                    results.put(i, result);
                    progress.keep(count(i) + experiments.get(i).name() + ": " + result.verdict().words()
                            + (result.noisy() ? " (noisy: " + result.noise().line() + ")" : ""));
                }
            }
        } catch (IOException e) {
            throw new Failure("cannot find out the machine's load: " + e.getMessage() + "; the lab needs"
                    + " /proc");
        }
        return new ArrayList<>(results.values());
    }

    private Result measure(Experiment experiment, int place, NoiseMeter meter, int secondsLeft)
            throws IOException {
        String start = count(place) + experiment.name();
        String left = " (about " + inWords(secondsLeft) + " left)";
        progress.say(start + left);
        Lab own = new Lab(lab.quick(), lab.jdks(), lab.jar(), lab.programs(), folder.emptyScratch(),
                step -> progress.say(start + ": " + step + left));
        String begun = now();
        NoiseMeter.Mark before = meter.mark();
        long startNanos = System.nanoTime();
        Outcome outcome = Trial.run(experiment, own, Trial.limit(experiment, own));
        double seconds = Math.round((System.nanoTime() - startNanos) / 1e8) / 10.0;
        return Result.of(experiment, own, begun, seconds, meter.between(before, meter.mark()), outcome);
    }

    private String count(int place) {
        return "[" + (place + 1) + "/" + experiments.size() + "] ";
    }

    private int left(Map<Integer, Result> done) {
        int seconds = 0;
        for (int i = 0; i < experiments.size(); i++) {
            seconds += done.containsKey(i) ? 0 : experiments.get(i).seconds(lab);
        }
        return seconds;
    }

    /** "50 s", "12 min", "1 h 20 min". */
    static String inWords(int seconds) {
        int minutes = (seconds + 30) / 60;
        if (minutes < 2) {
            return seconds + " s";
        }
        return minutes < 100 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
