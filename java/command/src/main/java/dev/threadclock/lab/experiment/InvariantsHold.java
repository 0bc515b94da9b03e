// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.Invariants;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row 11: whether the promises of ThreadMXBean's documentation hold. */
final class InvariantsHold implements Experiment {
    private static final int FULL_MILLIS = 5_000;
    private static final int QUICK_MILLIS = 1_000;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Override
    public String name() {
        return "invariants";
    }

    @Override
    public List<Integer> rows() {
        return List.of(11);
    }

    @Override
    public String title() {
        return "The invariants of thread times";
    }

    @Override
    public String question() {
        return "Times are -1 while measurement is disabled, not negative once it is enabled, and -1 for a"
                + " thread that has ended. They never decrease, and user time is within the total (to the"
                + " 10 ms in which some JDKs count). Does ThreadMXBean keep to that? Confirmed: with"
                + " threadclock on every JDK, and without it on the legacy ones. The bits JDKs are shown"
                + " beside them.";
    }

    @Override
    public String published() {
        return "The authors of OpenJDK's tests (ThreadUserTime, ThreadCpuTime, ThreadCpuTimeArray) say"
                + " that they pass. Nobody has published that user time within the total does not hold for"
                + " bits, which count ticks.";
    }

    @Override
    public String conditions(Lab lab) {
        return "A program of our own with three threads: one in user mode, one that naps from tick to tick,"
                + " one in the kernel; read each millisecond for " + millis(lab) + " ms."
                + LabJdk.leftOut(lab);
    }

    @Override
    public int seconds(Lab lab) {
        int jdks = lab.quick() ? Math.min(4, lab.jdks().size()) : lab.jdks().size();
        return 2 * jdks * (millis(lab) + 500) / 1000;
    }

    private static int millis(Lab lab) {
        return lab.quick() ? QUICK_MILLIS : FULL_MILLIS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Found found = new Found();
        List<String> broken = new ArrayList<>();
        List<String> brokenByBits = new ArrayList<>();
        for (LabJdk jdk : LabJdk.chosen(lab)) {
            for (boolean agent : new boolean[]{false, true}) {
                String subject = jdk.label(agent);
                lab.progress().accept(subject);
                List<String> lines = Programs
                        .run(jdk.command(lab, agent, List.of(), Invariants.class, millis(lab)),
                                LIMIT)
                        .stdout();
                if (!lines.contains("done")) {
                    throw new IOException(
                            subject + " ended without its results: " + String.join(" / ", lines));
                }
                for (String line : lines.subList(0, lines.size() - 1)) {
                    String[] words = line.split(" ");
                    found.figure(subject, words[1].replace('-', ' '), "broken of " + words[2],
                            Double.parseDouble(words[3]));
                    if (words[0].equals("broken")) {
                        (agent || jdk.legacy() ? broken : brokenByBits)
                                .add(subject + ": " + words[1].replace('-', ' '));
                    }
                }
            }
        }
        if (brokenByBits.isEmpty()) {
            found.note(
                    "No bits JDK here broke one: there is none, or its threads met too few ticks, or this"
                            + " kernel times each entry.");
        }
        return found.outcome(broken.isEmpty() ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED, (broken.isEmpty()
                ? "All hold with threadclock, and without it on the legacy JDKs."
                : "Broken: " + String.join("; ", broken) + ".")
                + (brokenByBits.isEmpty() ? ""
                        : " Without threadclock broken on bits: " + String.join("; ", brokenByBits) + "."));
    }
}
