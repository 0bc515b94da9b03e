// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.command.page.Chart.Curve;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Row 16: the cost of reading all threads of a process at once, from 1 to 10,000 threads. */
final class ManyThreads implements Experiment {
    private static final List<Integer> COUNTS = List.of(1, 10, 100, 1_000, 10_000);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String PROC = "/proc/self/task/<tid>/stat";
    private static final String OURS = "threadclock_all_threads";
    /** The expected speed-up, from 80 ms with /proc and 7 ms with three clock reads per thread. */
    private static final double FACTOR = 5;
    private static final int JUDGED_FROM = 1_000;
    /** A line of all_threads: the subject and the microseconds per pass. */
    private static final Pattern LINE = Pattern
            .compile("^(.{34}) +(\\d+) +[\\d.]+ x bare +[\\d.]+ x faster than /proc$");

    @Override
    public String name() {
        return "many-threads";
    }

    @Override
    public List<Integer> rows() {
        return List.of(16);
    }

    @Override
    public String title() {
        return "All threads at once, up to 10,000";
    }

    @Override
    public String question() {
        return "How long does a pass over all threads of a process take, by /proc and by threadclock?"
                + " Confirmed: from "
                + JUDGED_FROM
                + " threads on threadclock takes less than a fifth of the time.";
    }

    @Override
    public String conditions(Lab lab) {
        return "The C program all_threads: one thread in a hundred works between passes, the others sleep;"
                + " the median of 21 passes.";
    }

    @Override
    public int seconds(Lab lab) {
        return 25;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path program = Programs.built(lab, "all_threads");
        Found found = new Found();
        Map<String, List<double[]>> curves = new LinkedHashMap<>();
        List<Speedup> judged = new ArrayList<>();
        for (int count : COUNTS) {
            lab.progress().accept(count + " threads");
            Map<String, Double> micros;
            try {
                micros = parse(Programs.run(List.of(program.toString(), "" + count), LIMIT).stdout());
            } catch (IOException e) {
                found.note(count + " threads could not be started: " + e.getMessage());
                continue;
            }
            micros.forEach((subject, us) -> {
                found.figure(subject + ", " + count + " threads", "a pass", "us", us, 0,
                        count == 10_000 && subject.equals(PROC)
                                ? "80 ms (a first measurement)" : "");
                curves.computeIfAbsent(subject, any -> new ArrayList<>())
                        .add(new double[]{count, Math.max(1, us)});
            });
            if (count >= JUDGED_FROM) {
                judged.add(
                        new Speedup(count + " threads:", micros.get(PROC) * 1e3, micros.get(OURS) * 1e3, 0));
            }
        }
        curves.forEach((subject,
                points) -> found.curve(new Curve("a pass over all threads", subject, Curve.Kind.LOG_LOG,
                        "threads", "us",
                        points.toArray(new double[0][]))));
        if (judged.isEmpty()) {
            throw new NotRunnable(
                    JUDGED_FROM + " threads cannot be started here (ulimit -u, the cgroup's pids.max)");
        }
        return found.outcome(Speedup.judge(judged, FACTOR), "A pass, /proc against threadclock: "
                + String.join("; ", judged.stream().map(Speedup::words).toList()) + ".");
    }

    static Map<String, Double> parse(List<String> lines) throws IOException {
        Map<String, Double> micros = new LinkedHashMap<>();
        lines.stream().map(LINE::matcher).filter(Matcher::matches)
                .forEach(line -> micros.put(line.group(1).trim(), Double.parseDouble(line.group(2))));
        if (!micros.containsKey(PROC) || !micros.containsKey(OURS)) {
            throw new IOException("all_threads printed other rows: " + lines);
        }
        return micros;
    }
}
