// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Row 15: the cost of a read relative to System.nanoTime(), the bare system call and the vDSO; also that of
 * peers, and under contention.
 */
final class ReadCostExperiment implements Experiment {
    private static final int RUNS = 3;
    private static final int CONTENDED = 16;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Jmh.Plan FULL = new Jmh.Plan(3, 3, 1, 5, 1);
    private static final Jmh.Plan QUICK = new Jmh.Plan(1, 1, 1, 3, 1);
    private static final int FULL_SUBJECTS = 15;
    private static final int QUICK_SUBJECTS = 10;
    private static final String NANO_TIME_IN_C = "vDSO CLOCK_MONOTONIC (libc; = nanoTime)";
    private static final String TICK_IN_C = "threadclock_user_tick_ns";
    /** A line of own_thread_reads: the name, the median and the 90th percentile. */
    private static final Pattern LINE = Pattern.compile("^(.{46}) +([\\d.]+) +([\\d.]+) +[\\d.]+$");

    @Override
    public String name() {
        return "read-cost";
    }

    @Override
    public List<Integer> rows() {
        return List.of(15);
    }

    @Override
    public String title() {
        return "A read against System.nanoTime()";
    }

    @Override
    public String question() {
        return "What does a read of the calling thread cost, compared with System.nanoTime(), the cheapest"
                + " system call (getppid) and the coarse clock of the vDSO? What does it cost in other"
                + " libraries? Confirmed: user time"
                + " by threadclock is cheaper than nanoTime, in C and in Java.";
    }

    @Override
    public String conditions(Lab lab) {
        return "C: medians of short batches, all sources by turns, " + RUNS
                + " runs, and Google Benchmark if it is installed."
                + " Java: JMH, AverageTime, " + plan(lab).words()
                + (lab.quick() ? " (--quick; in full " + FULL.words() + ", and total beside user)" : "")
                + ", each peer through the"
                + " same interface, on JDK 17 or the one nearest to it; ThreadMXBean with the agent; and "
                + CONTENDED + " threads"
                + " at once. The fastest iterations are compared.";
    }

    @Override
    public int seconds(Lab lab) {
        return 5 * RUNS + 8 + (lab.quick() ? QUICK_SUBJECTS : FULL_SUBJECTS) * plan(lab).totalSeconds();
    }

    private static Jmh.Plan plan(Lab lab) {
        return lab.quick() ? QUICK : FULL;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Found found = new Found();
        Map<String, List<Double>> inC = inC(lab);
        inC.forEach((name, values) -> found.figure("C: " + name, "median", "ns", Numbers.median(values),
                Numbers.spread(values),
                ""));
        googleBenchmark(lab, found);
        Speedup c = new Speedup("C:", Numbers.median(inC.get(NANO_TIME_IN_C)),
                Numbers.median(inC.get(TICK_IN_C)),
                Numbers.spread(inC.get(TICK_IN_C)) / Numbers.median(inC.get(TICK_IN_C)));
        Speedup java = inJava(lab, found);
        return found.outcome(Speedup.judge(List.of(c, java), 1),
                "nanoTime against user time by threadclock: " + c.words() + "; "
                        + java.words() + ".");
    }

    private static Map<String, List<Double>> inC(Lab lab) throws NotRunnable, IOException {
        Path program = Programs.built(lab, "own_thread_reads");
        Map<String, List<Double>> all = new LinkedHashMap<>();
        for (int run = 1; run <= RUNS; run++) {
            lab.progress().accept("in C, run " + run + " of " + RUNS);
            Map<String, Double> medians = parse(Programs.run(List.of(program.toString()), LIMIT).stdout());
            if (!medians.containsKey(NANO_TIME_IN_C) || !medians.containsKey(TICK_IN_C)) {
                throw new IOException("own_thread_reads printed other rows: " + medians.keySet());
            }
            medians.forEach(
                    (name, median) -> all.computeIfAbsent(name, any -> new ArrayList<>()).add(median));
        }
        return all;
    }

    static Map<String, Double> parse(List<String> lines) {
        Map<String, Double> medians = new LinkedHashMap<>();
        lines.stream().map(LINE::matcher).filter(Matcher::matches)
                .forEach(line -> medians.put(line.group(1).trim(), Double.parseDouble(line.group(2))));
        return medians;
    }

    private static void googleBenchmark(Lab lab, Found found) throws IOException {
        lab.progress().accept("Google Benchmark");
        try {
            JsonObject run = Programs
                    .json(List.of(Programs.built(lab, "own_thread").toString(), "--benchmark_format=json",
                            "--benchmark_min_time=" + (lab.quick() ? "0.05" : "0.5")), LIMIT);
            for (JsonElement element : run.getAsJsonArray("benchmarks")) {
                JsonObject benchmark = element.getAsJsonObject();
                found.figure("Google Benchmark: " + benchmark.get("name").getAsString(), "mean", "ns",
                        benchmark.get("real_time").getAsDouble());
            }
        } catch (NotRunnable e) {
            found.note("Google Benchmark was left out: " + e.getMessage());
        }
    }

    private static Speedup inJava(Lab lab, Found found) throws NotRunnable, IOException {
        Jmh jmh = new Jmh(lab);
        List<LabJdk> all = LabJdk.chosen(lab);
        LabJdk jdk = all.stream().filter(one -> one.jdk().feature() >= 17).findFirst()
                .orElse(all.get(all.size() - 1));
        Map<String, Jmh.Result> results = new LinkedHashMap<>();
        lab.progress().accept(jdk.jdk().label() + ", peers");
        measure(jmh.run(jdk, false, lab.quick() ? "OwnThread.(baseline|nanoTime|user)" : "OwnThread", "avgt",
                1, plan(lab)), jdk,
                "", found, results);
        lab.progress().accept(jdk.jdk().label() + ", with the agent");
        measure(jmh.run(jdk, true, "OwnThread.user", "avgt", 1, plan(lab), "-p", "peer=threadMXBean"), jdk,
                ", agent", found,
                results);
        for (boolean agent : new boolean[]{false, true}) {
            lab.progress().accept(jdk.jdk().label() + ", " + CONTENDED + " threads");
            measure(jmh.run(jdk, agent, "UserTime.user$", "avgt", CONTENDED, plan(lab)), jdk,
                    (agent ? ", agent" : "") + ", "
                            + CONTENDED + " threads",
                    found, results);
        }
        found.note("With " + CONTENDED + " threads on " + Runtime.getRuntime().availableProcessors()
                + " CPUs a thread's time per call includes its wait for a CPU.");
        Jmh.Result ours = results.get("user threadclock");
        return new Speedup(jdk.jdk().label(), results.get("nanoTime").best(), ours.best(),
                Math.min(1, ours.error() / ours.mean()));
    }

    private static void measure(List<Jmh.Result> run, LabJdk jdk, String how, Found found,
            Map<String, Jmh.Result> results) {
        for (Jmh.Result result : run) {
            String what = (result.benchmark() + " " + result.peer()).trim();
            results.putIfAbsent(what + how, result);
            found.figure(jdk.jdk().label() + how + ": " + what, "mean", "ns", result.mean(), result.error(),
                    "");
            found.figure(jdk.jdk().label() + how + ": " + what, "best iteration", "ns", result.best());
        }
    }
}
