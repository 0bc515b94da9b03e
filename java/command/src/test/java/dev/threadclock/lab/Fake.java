// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Outcome.Figure;
import dev.threadclock.lab.model.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An experiment that does what a test specifies and counts its runs. */
final class Fake implements Experiment {
    private final String name;
    private final List<Integer> rows;
    private final Work work;
    int runs;

    interface Work {
        Outcome run(Lab lab) throws NotRunnable, IOException;
    }

    Fake(String name, Work work, Integer... rows) {
        this.name = name;
        this.work = work;
        this.rows = List.of(rows);
    }

    static Fake confirming(String name, Integer... rows) {
        return new Fake(name, lab -> outcome(Verdict.CONFIRMED), rows);
    }

    static Outcome outcome(Verdict verdict) {
        return new Outcome(verdict, "8 times", List.of(new Figure("JDK 17", "mean", "ns", 8.5, 0.5, "11 us")),
                List.of(), List.of(), List.of());
    }

    static Lab lab(Path scratch) {
        return new Lab(true, List.of(), Path.of("threadclock.jar"), Optional.empty(), scratch, step -> {
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Integer> rows() {
        return rows;
    }

    @Override
    public String title() {
        return "title of " + name;
    }

    @Override
    public String question() {
        return "Is it?";
    }

    @Override
    public String conditions(Lab lab) {
        return "none";
    }

    @Override
    public int seconds(Lab lab) {
        return 1;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        runs++;
        return work.run(lab);
    }
}
