// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Latencies;
import dev.threadclock.lab.model.NotRunnable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Runs JMH benchmarks of lab/jmh on a JDK, and reads their results. */
final class Jmh {
    private static final int START_SECONDS = 60;
    private static final int SLOWEST = 4;

    private final Lab lab;
    private final Path jar;

    Jmh(Lab lab) throws NotRunnable {
        this.lab = lab;
        jar = Programs.built(lab, "benchmarks.jar");
    }

    /** How long a benchmark runs. seconds and warmUpSeconds are per iteration. */
    record Plan(int forks, int warmUps, int warmUpSeconds, int iterations, int seconds) {
        /** For a quick lab, which shows orders of magnitude. */
        static final Plan QUICK = new Plan(1, 1, 1, 2, 1);

        int totalSeconds() {
            return forks * (1 + warmUps * warmUpSeconds + iterations * seconds);
        }

        String words() {
            return forks + (forks == 1 ? " fork, " : " forks, ") + warmUps + " x " + warmUpSeconds
                    + " s of warm-up, "
                    + iterations + " x " + seconds + " s";
        }
    }

    /**
     * Nanoseconds per call.
     *
     * @param error half the width of the 99.9 % confidence interval of the mean
     * @param best the mean of the fastest iteration, which other threads disturbed least
     * @param samples single calls; empty in the mode that measures only means
     */
    record Result(String benchmark, String peer, double mean, double error, double best, Histogram samples) {
        double p50() {
            return percentile(50);
        }

        double percentile(double percentile) {
            return samples.getTotalCount() == 0 ? mean : samples.getValueAtPercentile(percentile);
        }
    }

    /** benchmarks: a regular expression. mode: sample or avgt. more: other options for JMH. */
    List<Result> run(LabJdk jdk, boolean agent, String benchmarks, String mode, int threads, Plan plan,
            String... more)
            throws IOException {
        Path file = Files.createTempFile(lab.scratch(), "jmh", ".json");
        // In a separate folder, JMH's lock cannot conflict with that of another JMH on this machine.
        List<String> command = new ArrayList<>(List.of(ownJava(), "-Djava.io.tmpdir=" + lab.scratch(), "-jar",
                jar.toString(),
                benchmarks,
                "-jvm", jdk.jdk().java().toString(), "-bm", mode, "-t", "" + threads, "-f", "" + plan.forks,
                "-wi", "" + plan.warmUps, "-w", plan.warmUpSeconds + "s", "-i", "" + plan.iterations, "-r",
                plan.seconds + "s",
                "-foe", "true", "-rf", "json", "-rff", file.toString()));
        if (agent) {
            // JMH splits at spaces outside quotes.
            command.addAll(List.of("-jvmArgsAppend", "\"" + String.join("\" \"", jdk.agent(lab)) + "\""));
        }
        command.addAll(List.of(more));
        Programs.run(command, Duration.ofSeconds(START_SECONDS + 60L * SLOWEST * plan.totalSeconds()));
        return parse(Files.readString(file));
    }

    /** JMH itself runs on the Java that runs this program. */
    private static String ownJava() {
        return Path.of(System.getProperty("java.home"), "bin/java").toString();
    }

    static List<Result> parse(String json) throws IOException {
        List<Result> results = new ArrayList<>();
        try {
            for (JsonElement element : JsonParser.parseString(json).getAsJsonArray()) {
                results.add(result(element.getAsJsonObject()));
            }
        } catch (JsonParseException | IllegalStateException | NullPointerException e) {
            throw new IOException("JMH left no results that can be read", e);
        }
        return results;
    }

    private static Result result(JsonObject benchmark) {
        String name = benchmark.get("benchmark").getAsString();
        JsonObject parameters = benchmark.getAsJsonObject("params");
        JsonObject metric = benchmark.getAsJsonObject("primaryMetric");
        boolean sampled = metric.has("rawDataHistogram");
        double mean = metric.get("score").getAsDouble();
        double error = metric.get("scoreError").getAsDouble();
        return new Result(name.substring(name.lastIndexOf('.') + 1),
                parameters == null ? "" : parameters.get("peer").getAsString(),
                mean, Double.isNaN(error) ? 0 : error,
                sampled ? mean : lowest(metric.getAsJsonArray("rawData")),
                Latencies.of(sampled ? metric.getAsJsonArray("rawDataHistogram") : new JsonArray()));
    }

    private static double lowest(JsonArray forks) {
        double lowest = Double.MAX_VALUE;
        for (JsonElement fork : forks) {
            for (JsonElement iteration : fork.getAsJsonArray()) {
                lowest = Math.min(lowest, iteration.getAsDouble());
            }
        }
        return lowest;
    }
}
