// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Latencies;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Row 2: the cost of the calling thread's clock if the caller is identified as 0 instead of by its TID. */
final class CallerAsZero implements Experiment {
    private static final Jmh.Plan FULL = new Jmh.Plan(3, 4, 5, 10, 5);
    private static final Jmh.Plan QUICK = new Jmh.Plan(1, 1, 1, 2, 1);
    private static final int FFM = 22;
    private static final int RUNS = 5;
    /** The smallest share that counts as a difference. */
    private static final double LEAST = 0.03;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Map<String, String> PUBLISHED = Map.of("tid mean", "81.746 ns", "tid p50", "80 ns",
            "tid p99.99", "1,980"
                    + " ns",
            "pid0 mean", "70.813 ns", "pid0 p50", "70 ns", "pid0 p99.99", "1,830 ns");

    @Override
    public String name() {
        return "caller-as-zero";
    }

    @Override
    public List<Integer> rows() {
        return List.of(2);
    }

    @Override
    public String title() {
        return "The caller's clock by PID 0 instead of its TID";
    }

    @Override
    public String question() {
        return "On Linux, the id of a thread's CPU clock contains the thread. OpenJDK 26 puts the TID there,"
                + " which the kernel looks up"
                + " in a radix tree; 0 means the caller and needs no look-up. Is a read by 0 cheaper, as"
                + " published?";
    }

    @Override
    public String published() {
        return "QuestDB blog, January 2026 (1 thread, SampleTime): by TID mean 81.746 ns, p50 80, p99.9"
                + " 230, p99.99 1,980; by 0 mean 70.813 ns, p50 70, p99.9 170, p99.99 1,830: 13 % less.";
    }

    @Override
    public String conditions(Lab lab) {
        return "The same clock_gettime() both ways: in C by turns, " + RUNS
                + " runs (build/lab/latency), which decides; and from"
                + " Java by FFM on the newest JDK, JMH, SampleTime"
                + (lab.quick() ? ", " : " and AverageTime, ")
                + plan(lab).words()
                + (lab.quick() ? " (--quick; in full " + FULL.words() + ")." : ".");
    }

    @Override
    public int seconds(Lab lab) {
        return RUNS * (lab.quick() ? 2 : 6) + (lab.quick() ? 3 : 6) * (plan(lab).totalSeconds() + 1);
    }

    private static Jmh.Plan plan(Lab lab) {
        return lab.quick() ? QUICK : FULL;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path latency = Programs.built(lab, "latency");
        Found found = new Found();
        Map<String, List<Double>> medians = new HashMap<>();
        for (int i = 0; i < RUNS; i++) {
            lab.progress().accept("in C, run " + (i + 1) + " of " + RUNS);
            JsonObject run = Programs
                    .json(List.of(latency.toString(), lab.quick() ? "1.5" : "5", "0", "null", "virt_tid",
                            "virt_pid0"), LIMIT);
            for (JsonElement element : run.getAsJsonArray("sources")) {
                JsonObject source = element.getAsJsonObject();
                medians.computeIfAbsent(source.get("name").getAsString(), any -> new ArrayList<>())
                        .add(Latencies.bulkMean(Latencies.of(source.getAsJsonArray("values"))));
            }
        }
        medians.forEach((name, values) -> found.figure("C, " + name, "mean of the fastest 90 %", "ns",
                Numbers.median(values),
                Numbers.spread(values), ""));
        java(lab, found);

        List<Double> savings = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            double empty = medians.get("null").get(i);
            savings.add(
                    1 - (medians.get("virt_pid0").get(i) - empty) / (medians.get("virt_tid").get(i) - empty));
        }
        double saving = Numbers.median(savings);
        found.figure("C, PID 0 against TID", "less", "%", 100 * saving, 100 * Numbers.spread(savings),
                "13 %");
        found.note(
                "In C the two clock reads around a sample are subtracted; the published figures include"
                        + " them and what Java adds.");
        return found.outcome(judge(savings),
                "Read by 0 the clock costs " + Figures.number(100 * saving) + " % less than by TID."
                        + " Published: 13 %.");
    }

    /** Confirmed if all runs but one agree that the cost is lower, too noisy if they disagree. */
    static Verdict judge(List<Double> savings) {
        long less = savings.stream().filter(saving -> saving > LEAST).count();
        return less >= savings.size() - 1 ? Verdict.CONFIRMED
                : less <= 1 ? Verdict.NOT_CONFIRMED : Verdict.TOO_NOISY;
    }

    private void java(Lab lab, Found found) throws NotRunnable, IOException {
        LabJdk newest = LabJdk.last(LabJdk.all(lab).stream()).filter(jdk -> jdk.jdk().feature() >= FFM)
                .orElse(null);
        if (newest == null) {
            found.note("The Java half needs a JDK from " + FFM + " on, for its foreign functions.");
            return;
        }
        Jmh jmh = new Jmh(lab);
        for (String mode : lab.quick() ? List.of("sample") : List.of("sample", "avgt")) {
            lab.progress().accept(newest.jdk().label() + ", " + mode);
            for (Jmh.Result result : jmh.run(newest, false, "VirtClock", mode, 1, plan(lab))) {
                String subject = newest.jdk().label() + ", " + result.benchmark()
                        + (mode.equals("avgt") ? ", over many" : "");
                found.figure(subject, "mean", "ns", result.mean(), result.error(),
                        mode.equals("avgt") ? "" : PUBLISHED.getOrDefault(result.benchmark() + " mean", ""));
                if (mode.equals("sample")) {
                    found.figure(subject, "p50", "ns", result.p50(), 0,
                            PUBLISHED.getOrDefault(result.benchmark() + " p50", ""));
                    found.figure(subject, "p99.99", "ns", result.percentile(99.99), 0,
                            PUBLISHED.getOrDefault(result.benchmark() + " p99.99", ""));
                    found.percentiles("clock_gettime from Java", subject, result.samples());
                }
            }
        }
    }
}
