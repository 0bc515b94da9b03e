// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.Ratio;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row 9: how many times more user time costs than total, alone and with concurrent readers. */
final class UserAgainstTotal implements Experiment {
    private static final int CONCURRENT = 16;
    private static final int FULL_MILLIS = 5_000;
    private static final int QUICK_MILLIS = 600;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final double LOWEST_PUBLISHED = 30;

    @Override
    public String name() {
        return "user-against-total";
    }

    @Override
    public List<Integer> rows() {
        return List.of(9);
    }

    @Override
    public String title() {
        return "User time against total, as first reported";
    }

    @Override
    public String question() {
        return "The original report of 2018 found getCurrentThreadUserTime() 30 to 400 times slower than"
                + " getCurrentThreadCpuTime(), and worse with more threads. What is the factor here?"
                + " Confirmed: at"
                + " least "
                + Figures.times(LOWEST_PUBLISHED)
                + " on every legacy JDK, and less than the total with threadclock.";
    }

    @Override
    public String published() {
        return "JDK-8210452 (2018): user 30× to 400× slower than total, worse under concurrency.";
    }

    @Override
    public String conditions(Lab lab) {
        return "Short batches of the two reads by turns, in 1 thread and in " + CONCURRENT + " at once, "
                + millis(lab) + " ms"
                + " after as long a warm-up; the median batch; " + runs(lab)
                + (runs(lab) == 1 ? " JVM" : " JVMs") + " each."
                + LabJdk.leftOut(lab);
    }

    @Override
    public int seconds(Lab lab) {
        int jdks = lab.quick() ? Math.min(4, lab.jdks().size()) : lab.jdks().size();
        return jdks * 2 * 2 * runs(lab) * (2 * millis(lab) + 500) / 1000;
    }

    private static int runs(Lab lab) {
        return lab.quick() ? 1 : 3;
    }

    private static int millis(Lab lab) {
        return lab.quick() ? QUICK_MILLIS : FULL_MILLIS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        LabJdk.legacy(lab);
        Found found = new Found();
        List<Double> legacy = new ArrayList<>();
        List<Double> threadclock = new ArrayList<>();
        for (LabJdk jdk : LabJdk.chosen(lab)) {
            for (boolean agent : new boolean[]{false, true}) {
                for (int threads : new int[]{1, CONCURRENT}) {
                    double ratio = measure(lab, jdk, agent, threads, found);
                    if (agent) {
                        threadclock.add(ratio);
                    } else if (jdk.legacy()) {
                        legacy.add(ratio);
                    }
                }
            }
        }
        double lowest = legacy.stream().min(Double::compare).orElseThrow();
        if (lowest < LOWEST_PUBLISHED) {
            found.note(
                    "The factor is smaller than the published ones. Both reads enter the kernel, the total"
                            + " once, user time five times (see system-calls). Where entering the kernel"
                            + " is expensive, as on many virtual machines, the total is expensive too, and"
                            + " the factor is small. The figures are nanoseconds.");
        }
        return found.outcome(judge(legacy, threadclock), "User time costs " + Figures.times(lowest) + " to "
                + Figures.times(legacy.stream().max(Double::compare).orElseThrow())
                + " the total on legacy JDKs, at most "
                + Figures.times(threadclock.stream().max(Double::compare).orElseThrow())
                + " with threadclock. Published: 30× to"
                + " 400×.");
    }

    static Verdict judge(List<Double> legacy, List<Double> threadclock) {
        return legacy.stream().allMatch(ratio -> ratio >= LOWEST_PUBLISHED)
                && threadclock.stream().allMatch(ratio -> ratio < 1)
                        ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED;
    }

    private static double measure(Lab lab, LabJdk jdk, boolean agent, int threads, Found found)
            throws IOException {
        String subject = jdk.label(agent) + ", " + threads + (threads == 1 ? " thread" : " threads");
        lab.progress().accept(subject);
        List<Double> user = new ArrayList<>();
        List<Double> total = new ArrayList<>();
        List<Double> ratio = new ArrayList<>();
        for (int run = 0; run < runs(lab); run++) {
            String[] words = Programs
                    .run(jdk.command(lab, agent, List.of(), Ratio.class, threads, millis(lab), millis(lab)),
                            LIMIT)
                    .words("ratio");
            user.add(Double.parseDouble(words[1]));
            total.add(Double.parseDouble(words[2]));
            ratio.add(user.get(run) / total.get(run));
        }
        found.figure(subject, "user", "ns", Numbers.median(user), Numbers.spread(user), "");
        found.figure(subject, "total", "ns", Numbers.median(total), Numbers.spread(total), "");
        found.figure(subject, "user by total", "1", Numbers.median(ratio), Numbers.spread(ratio),
                agent || !jdk.legacy() ? ""
                        : "30× to 400×");
        return Numbers.median(ratio);
    }
}
