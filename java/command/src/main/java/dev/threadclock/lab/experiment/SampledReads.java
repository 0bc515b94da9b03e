// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Rows 1, 3 and 4: JMH samples of getCurrentThreadUserTime(), each JDK alone and with threadclock.
 *
 * @param figures the published figures by subject and quantity, such as "legacy mean" or "bits p50"
 * @param factor by which the published median fell
 * @param meanFactor by which the published mean fell
 * @param of25u whether it compares JDK 25 before and after the backport
 */
record SampledReads(String name, int row, String title, String published, int threads, Jmh.Plan full,
        Map<String, String> figures,
        double factor, double meanFactor, boolean of25u) implements Experiment {
    private static final Map<String, Double> PERCENTILES = Map.of("p50", 50.0, "p99", 99.0, "p99.99", 99.99,
            "max", 100.0);
    private static final List<String> ORDER = List.of("p50", "p99", "p99.99", "max");
    private static final int FEATURE_25 = 25;

    static SampledReads sixteenThreads() {
        return new SampledReads("jmh-16-threads", 1, "User time of the calling thread, 16 threads at once",
                "QuestDB blog, January 2026 (Ryzen 9950X, JDK main with its fix reverted and applied):"
                        + " legacy mean 11.186 µs, p50"
                        + " 10.272, p99 27.552, p99.99 79.709, max 1,179.6; bits mean 0.279 µs, p50 0.310,"
                        + " p99 0.610, p99.99 3.088, max 1,230.8.",
                16, new Jmh.Plan(1, 2, 5, 5, 5),
                Map.of("legacy mean", "11.186 µs", "legacy p50", "10.272 µs", "legacy p99", "27.552 µs",
                        "legacy p99.99", "79.709"
                                + " µs",
                        "legacy max", "1,179.6 µs", "bits mean", "0.279 µs", "bits p50", "0.310 µs",
                        "bits p99", "0.610 µs",
                        "bits p99.99", "3.088 µs", "bits max", "1,230.8 µs"),
                10.272 / 0.310, 11.186 / 0.279, false);
    }

    static SampledReads oneThread() {
        return new SampledReads("jmh-1-thread", 3, "User time of the calling thread, one thread",
                "Norlinder's blog and openjdk/jdk pull request 28556: legacy mean 8 µs, p99 12, p99.9 15,"
                        + " p99.99 21, max 1,030; bits below 1 µs, p99.99 6 µs, max 54 (95 % less).",
                1, new Jmh.Plan(10, 2, 5, 5, 5),
                Map.of("legacy mean", "8 µs", "legacy p99", "12 µs", "legacy p99.99", "21 µs",
                        "legacy max", "1,030 µs",
                        "bits mean", "below 1 µs", "bits p99.99", "6 µs", "bits max", "54 µs"),
                8, 8, false);
    }

    static SampledReads of25() {
        return new SampledReads("jmh-25u-backport", 4, "JDK 25 before and after its backport",
                "openjdk/jdk25u-dev pull request 621 (JMH 1.37): legacy mean 19.0 µs, p50 18.5, p99 25.2,"
                        + " p99.99 607, max 10,060;"
                        + " bits mean 0.775 µs, p50 0.760, p99 1.09, p99.99 14.4, max 1,470 (24.5×, 24.4×,"
                        + " 23.1×, 42.1×, 6.8×).",
                1, new Jmh.Plan(1, 2, 5, 5, 5),
                Map.of("legacy mean", "19.0 µs", "legacy p50", "18.5 µs", "legacy p99", "25.2 µs",
                        "legacy p99.99", "607 µs",
                        "legacy max", "10,060 µs", "bits mean", "0.775 µs", "bits p50", "0.760 µs",
                        "bits p99", "1.09 µs",
                        "bits p99.99", "14.4 µs", "bits max", "1,470 µs"),
                24.4, 24.5, true);
    }

    @Override
    public List<Integer> rows() {
        return List.of(row);
    }

    @Override
    public String question() {
        return "How long does a Java thread wait for its own user CPU time? JDK 8 to 25.0.4 open, print and"
                + " parse a file of /proc"
                + " for it (legacy); JDK 25.0.5, 26 and later read a clock that counts ticks (bits);"
                + " threadclock answers from a cache that is as fresh as the kernel's own knowledge."
                + " Confirmed: with threadclock the median falls by at least the published factor, "
                + Figures.times(factor) + ", on every legacy JDK.";
    }

    @Override
    public String conditions(Lab lab) {
        return "JMH, SampleTime, " + threads + (threads == 1 ? " thread, " : " threads, ") + plan(lab).words()
                + (lab.quick() ? " (shortened: --quick; in full " + full.words() + ")" : "")
                + (of25u ? "; the JDKs 25 of this machine." : "; each JDK.")
                + " A sample contains two reads of System.nanoTime()." + (of25u ? "" : LabJdk.leftOut(lab));
    }

    @Override
    public int seconds(Lab lab) {
        int jdks = of25u ? 2 : lab.quick() ? Math.min(4, lab.jdks().size()) : lab.jdks().size();
        return 2 * jdks * (plan(lab).totalSeconds() + 1);
    }

    private Jmh.Plan plan(Lab lab) {
        return lab.quick() ? Jmh.Plan.QUICK : full;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        List<LabJdk> jdks = jdks(lab);
        Jmh jmh = new Jmh(lab);
        Found found = new Found();
        List<Speedup> speedups = new ArrayList<>();
        for (LabJdk jdk : jdks) {
            Jmh.Result before = sample(lab, jmh, jdk, false, found);
            Jmh.Result after = sample(lab, jmh, jdk, true, found);
            compare(jdk, before, after, found);
            if (jdk.legacy()) {
                speedups.add(new Speedup(jdk.jdk().label(), before.p50(), after.p50(), 0));
            }
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        if (threads > cpus) {
            found.note(threads + " threads share " + cpus
                    + " CPUs here: the means and the highest percentiles show the wait for a CPU, with"
                    + " threadclock as without. The medians show the read.");
        }
        found.note(
                "A sample of one read includes two reads of System.nanoTime(), 30 to 50 ns, which are most"
                        + " of the time with threadclock: the true factor is larger (see read-cost).");
        return found.outcome(Speedup.judge(speedups, factor), "Median " + String.join("; ",
                speedups.stream().map(Speedup::words).toList())
                + ". Published: " + Figures.times(factor) + ".");
    }

    private void compare(LabJdk jdk, Jmh.Result before, Jmh.Result after, Found found) {
        String published = jdk.legacy() ? Figures.times(factor) : "";
        found.figure(jdk.label(), "median, without by with threadclock", "1", before.p50() / after.p50(), 0,
                published);
        double ratio = before.mean() / after.mean();
        found.figure(jdk.label(), "mean, without by with threadclock", "1", ratio, 0,
                jdk.legacy() ? Figures.times(meanFactor)
                        : "");
        if (jdk.legacy() && ratio < meanFactor) {
            found.note(jdk.jdk().label() + ": the mean fell by " + Figures.times(ratio) + " only, published "
                    + Figures.times(meanFactor) + ". Its median is " + Figures.duration(after.p50())
                    + " and its mean "
                    + Figures.duration(after.mean())
                    + " with threadclock: the difference is other threads and interrupts at work while a"
                    + " read is timed.");
        }
    }

    private List<LabJdk> jdks(Lab lab) throws IOException, NotRunnable {
        if (!of25u) {
            LabJdk.legacy(lab);
            return LabJdk.chosen(lab);
        }
        List<LabJdk> of25 = LabJdk.all(lab).stream().filter(jdk -> jdk.jdk().feature() == FEATURE_25)
                .toList();
        if (of25.stream().noneMatch(LabJdk::legacy)) {
            throw new NotRunnable(
                    "there is no JDK 25 here from before its backport (25.0.5), which is what was measured;"
                            + " install one, or name it with --jdk. Row 3 measures the other legacy JDKs");
        }
        return of25;
    }

    private Jmh.Result sample(Lab lab, Jmh jmh, LabJdk jdk, boolean agent, Found found) throws IOException {
        String subject = jdk.label(agent);
        lab.progress().accept(subject);
        Jmh.Result result = jmh.run(jdk, agent, "UserTime.user$", "sample", threads, plan(lab)).get(0);
        String path = agent ? "" : jdk.legacy() ? "legacy " : "bits ";
        found.figure(subject, "mean", "ns", result.mean(), result.error(),
                figures.getOrDefault(path + "mean", ""));
        for (String percentile : ORDER) {
            found.figure(subject, percentile, "ns", result.percentile(PERCENTILES.get(percentile)), 0,
                    figures.getOrDefault(path + percentile, ""));
        }
        found.percentiles("getCurrentThreadUserTime()", subject, result.samples());
        return result;
    }
}
