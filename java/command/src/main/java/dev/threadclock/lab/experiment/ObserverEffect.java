// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.command.probe.Observed;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row 17: how much sampling all threads costs a busy application. */
final class ObserverEffect implements Experiment {
    private static final List<Integer> HERTZ = List.of(1, 10, 100);
    private static final int IDLE_THREADS = 200;
    private static final double FACTOR = 3;
    /** At one sample per second there are few passes, and in the first one all threads are new. */
    private static final int JUDGED_FROM_HERTZ = 10;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int DEFAULT_FEATURE = 17;

    /** The samplers and what they read. */
    private enum Sampler {
        BEAN("ThreadMXBean", "bean", false),
        AGENT("ThreadMXBean with threadclock", "bean", true),
        LIBRARY("threadclock's ThreadTimes", "threadclock", false);

        final String title;
        final String argument;
        final boolean agent;

        Sampler(String title, String argument, boolean agent) {
            this.title = title;
            this.argument = argument;
            this.agent = agent;
        }
    }

    @Override
    public String name() {
        return "observer-effect";
    }

    @Override
    public List<Integer> rows() {
        return List.of(17);
    }

    @Override
    public String title() {
        return "What sampling costs the application";
    }

    @Override
    public String question() {
        return "A monitoring agent asks for the times of all threads, once, ten or a hundred times a"
                + " second. What does that cost a busy HTTP server? Confirmed: a pass of threadclock's own"
                + " takes less than a third of"
                + " the CPU time of one"
                + " through ThreadMXBean of a legacy JDK, at " + JUDGED_FROM_HERTZ + " and 100 a second.";
    }

    @Override
    public String conditions(Lab lab) {
        return "The JDK's HTTP server, four clients on the loopback, and " + IDLE_THREADS
                + " idle threads, in one JVM (17, or the"
                + " newest legacy one). " + pairs(lab) + " pairs of phases of " + millis(lab)
                + " ms, one with sampling and one without, in alternating order; the median of the pairs."
                + " The CPU time of a pass is the sampling thread's own."
                + " The agent reads other threads one by one; ThreadTimes in one pass.";
    }

    @Override
    public int seconds(Lab lab) {
        return HERTZ.size() * Sampler.values().length * ((2 * pairs(lab) + 2) * millis(lab) / 1000 + 1);
    }

    private static int pairs(Lab lab) {
        return lab.quick() ? 3 : 15;
    }

    private static int millis(Lab lab) {
        return lab.quick() ? 500 : 2_000;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        List<LabJdk> legacy = LabJdk.legacy(lab);
        LabJdk jdk = legacy.stream().filter(one -> one.jdk().feature() == DEFAULT_FEATURE).findFirst()
                .orElse(legacy.get(legacy.size() - 1));
        Found found = new Found();
        List<Speedup> passes = new ArrayList<>();
        for (int hertz : HERTZ) {
            double bean = measure(lab, jdk, Sampler.BEAN, hertz, found);
            measure(lab, jdk, Sampler.AGENT, hertz, found);
            Speedup pass = new Speedup(hertz + " Hz:", bean, measure(lab, jdk, Sampler.LIBRARY, hertz, found),
                    0);
            if (hertz >= JUDGED_FROM_HERTZ) {
                passes.add(pass);
            }
        }
        found.note(
                "Lost throughput and the added cost of a request are differences of two large numbers;"
                        + " only what exceeds their spread is real. The CPU time of a pass has no such"
                        + " noise, so the verdict uses it.");
        return found.outcome(Speedup.judge(passes, FACTOR),
                "CPU time of a pass over all threads, ThreadMXBean of "
                        + jdk.jdk().label() + " against threadclock: "
                        + String.join("; ", passes.stream().map(Speedup::words).toList())
                        + ".");
    }

    /** Returns nanoseconds per pass. */
    private static double measure(Lab lab, LabJdk jdk, Sampler sampler, int hertz, Found found)
            throws IOException {
        String subject = sampler.title + ", " + hertz + " Hz";
        lab.progress().accept(subject);
        Programs.Said said = Programs
                .run(jdk.command(lab, sampler.agent, List.of(), Observed.class, sampler.argument, hertz,
                        IDLE_THREADS, millis(lab), pairs(lab)), LIMIT);
        List<Double> without = new ArrayList<>();
        List<Double> lost = new ArrayList<>();
        List<Double> dearer = new ArrayList<>();
        for (String line : said.stdout()) {
            String[] words = line.split(" ");
            if (words[0].equals("pair")) {
                without.add(Double.parseDouble(words[1]));
                lost.add(100 * (1 - Double.parseDouble(words[2]) / Double.parseDouble(words[1])));
                dearer.add(100 * (Double.parseDouble(words[4]) / Double.parseDouble(words[3]) - 1));
            }
        }
        String[] words = said.words("sampler");
        double nanos = Double.parseDouble(words[1]);
        if (nanos <= 0 || without.isEmpty()) {
            throw new IOException(subject + ": no pass was made, the machine is too busy for its sampler: "
                    + String.join(" / ", said.stdout()));
        }
        found.figure(subject, "CPU time of a pass over " + words[3] + " threads", "us", nanos / 1e3);
        found.figure(subject, "share of one CPU", "%", nanos * hertz / 1e7);
        found.figure(subject, "throughput without sampling", "requests a second", Numbers.median(without),
                Numbers.spread(without), "");
        found.figure(subject, "throughput lost", "%", Numbers.median(lost), Numbers.spread(lost), "");
        found.figure(subject, "more CPU time for a request", "%", Numbers.median(dearer),
                Numbers.spread(dearer), "");
        return nanos;
    }
}
