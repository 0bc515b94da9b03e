// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.CountedReads;
import dev.threadclock.command.probe.Ratio;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Row 7: the number of system calls per read in a Java loop. */
final class SystemCalls implements Experiment {
    private static final int FULL_READS = 100_000;
    private static final int QUICK_READS = 20_000;
    private static final int CONTROL_READS = 1_000;
    private static final int RATIO_MILLIS = 500;
    private static final List<String> COUNTED = List.of("openat", "read", "close", "newfstat", "newfstatat",
            "clock_gettime", "getrusage");
    private static final Map<String, String> PUBLISHED_OFF = Map.of("openat", "1.00 (open)", "read", "2.01",
            "close", "1.00", "newfstat", "1.00");
    private static final Map<String, String> PUBLISHED_ON = Map.of("clock_gettime", "1.15");
    /** (201,007 + 100,057 + 100,107 + 100,066) / 115,472. */
    private static final double PUBLISHED_FACTOR = 4.34;
    /** The limit per read for calls of the JVM's other threads. */
    private static final double STRAY = 0.01;
    private static final double LEAST_OF_LEGACY = 3;
    private static final String FLAG = "UseLinuxPosixThreadCPUClocks";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "system-calls";
    }

    @Override
    public List<Integer> rows() {
        return List.of(7);
    }

    @Override
    public String title() {
        return "System calls of a read, counted";
    }

    @Override
    public String question() {
        return "How often does Java enter the kernel to learn the calling thread's user time? Confirmed: at"
                + " least 3 times a read"
                + " on every legacy JDK, and with threadclock fewer by at least the published factor, "
                + Figures.times(PUBLISHED_FACTOR) + ".";
    }

    @Override
    public String published() {
        return "Packagecloud's blog, strace -c of 100,000 reads of the total on JDK 8: with " + FLAG
                + " off 201,007 read, 100,057 close, 100,107 open, 100,066 fstat, 12.2 s;"
                + " on 115,472 clock_gettime, 1.7 s (about 10×).";
    }

    @Override
    public String conditions(Lab lab) {
        return reads(lab)
                + " reads in a Java loop, counted by perf (tracepoints) or, where that is not permitted,"
                + " strace; minus what the same program needs without reads. The counter must first count "
                + CONTROL_READS
                + " calls of getppid correctly. Times are without a tracer. " + FLAG
                + " off and on for the oldest JDK that has it."
                + LabJdk.leftOut(lab);
    }

    @Override
    public int seconds(Lab lab) {
        return (lab.quick() ? 4 * Math.min(4, lab.jdks().size()) : 10 * lab.jdks().size()) + 8;
    }

    private static int reads(Lab lab) {
        return lab.quick() ? QUICK_READS : FULL_READS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path control = Programs.built(lab, "count_reads");
        List<LabJdk> jdks = LabJdk.chosen(lab);
        LabJdk.legacy(lab);
        Found found = new Found();
        List<String> why = new ArrayList<>();
        // One extra read: the program makes one before counting starts.
        Tracing.Counter counter = Tracing.counter(List.of(control.toString(), "" + CONTROL_READS, "getppid"),
                "getppid",
                CONTROL_READS + 1, why);
        why.forEach(found::note);
        found.note("Counted by " + counter.name() + "; it counted the " + CONTROL_READS
                + " system calls of its control.");

        List<Speedup> all = new ArrayList<>();
        for (LabJdk jdk : jdks) {
            double before = show(found, jdk.label(false), count(lab, counter, jdk, false, List.of(), "user"),
                    jdk.legacy() ? PUBLISHED_OFF : PUBLISHED_ON);
            double after = show(found, jdk.label(true), count(lab, counter, jdk, true, List.of(), "user"),
                    Map.of());
            if (jdk.legacy()) {
                all.add(new Speedup(jdk.jdk().label(), before, Math.max(after, 1.0 / reads(lab)), 0));
            }
        }
        flag(lab, counter, found);
        List<String> words = all.stream()
                .map(one -> one.subject() + " " + Figures.number(one.before()) + ", with threadclock "
                        + Figures.number(one.after()))
                .toList();
        return found.outcome(judge(all), "System calls a read of user time: " + String.join("; ", words)
                + ". Published: 5 and 1.15.");
    }

    static Verdict judge(List<Speedup> calls) {
        return calls.stream().allMatch(one -> one.before() >= LEAST_OF_LEGACY)
                ? Speedup.judge(calls, PUBLISHED_FACTOR) : Verdict.NOT_CONFIRMED;
    }

    /** The published experiment itself: reads of the total, with the flag off and on. */
    private void flag(Lab lab, Tracing.Counter counter, Found found) throws IOException {
        // Newer JDKs accept the flag, print that they ignore it, and continue.
        LabJdk jdk = null;
        for (LabJdk one : LabJdk.all(lab)) {
            jdk = jdk == null && ClockDetection.flag(one) != null ? one : jdk;
        }
        if (jdk == null) {
            found.note("No JDK here still has " + FLAG + ", with which the published figures were made.");
            return;
        }
        double off = flag(lab, counter, found, jdk, "-", PUBLISHED_OFF, "122 µs (12.2 s of 100,000)");
        double on = flag(lab, counter, found, jdk, "+", PUBLISHED_ON, "17 µs (1.7 s of 100,000)");
        found.figure(jdk.jdk().label() + ", total", FLAG + " off by on", "1", off / on, 0, "about 10×");
    }

    /** Returns nanoseconds per read. */
    private double flag(Lab lab, Tracing.Counter counter, Found found, LabJdk jdk, String sign,
            Map<String, String> published,
            String publishedTime) throws IOException {
        List<String> options = List.of("-XX:" + sign + FLAG);
        String subject = jdk.jdk().label() + ", total, " + options.get(0);
        show(found, subject, count(lab, counter, jdk, false, options, "total"), published);
        double nanos = nanosOfTotal(lab, jdk, options);
        found.figure(subject, "a read, no tracer, median", "ns", nanos, 0, publishedTime);
        return nanos;
    }

    /** Calls per read, by name. */
    private static Map<String, Double> count(Lab lab, Tracing.Counter counter, LabJdk jdk, boolean agent,
            List<String> options,
            String kind)
            throws IOException {
        lab.progress().accept(jdk.label(agent) + " " + String.join(" ", options));
        Map<String, Long> none = counter.count(command(lab, jdk, agent, options, kind, 0), COUNTED);
        Map<String, Long> many = counter.count(command(lab, jdk, agent, options, kind, reads(lab)), COUNTED);
        Map<String, Double> calls = new LinkedHashMap<>();
        many.forEach((name, count) -> {
            double each = (double) (count - none.getOrDefault(name, 0L)) / reads(lab);
            calls.put(name.equals("fstat") ? "newfstat" : name, Math.max(0, each));
        });
        return calls;
    }

    /** Shows the calls and returns their total number. */
    private static double show(Found found, String subject, Map<String, Double> calls,
            Map<String, String> published) {
        double all = calls.values().stream().mapToDouble(Double::doubleValue).sum();
        calls.forEach((name, count) -> {
            if (count > STRAY) {
                found.figure(subject, name, "a read", count, 0, published.getOrDefault(name, ""));
            }
        });
        found.figure(subject, "all of these", "a read", all);
        return all;
    }

    /** Uses the median of batches, because in short runs of many reads the JVM's start dominates. */
    private static double nanosOfTotal(Lab lab, LabJdk jdk, List<String> options) throws IOException {
        return Double.parseDouble(Programs
                .run(jdk.command(lab, false, options, Ratio.class, 1, RATIO_MILLIS, RATIO_MILLIS), LIMIT)
                .words("ratio")[2]);
    }

    private static List<String> command(Lab lab, LabJdk jdk, boolean agent, List<String> options, String kind,
            int reads) {
        return jdk.command(lab, agent, options, CountedReads.class, "count", kind, reads);
    }
}
