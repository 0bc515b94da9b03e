// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.command.probe.Slack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A thread's CPU time in nanoseconds as recorded by Flight Recorder and as reported by the kernel,
 * ThreadMXBean and JVMTI at the end.
 *
 * @param ticks the length of a tick times the number of Flight Recorder's looks: the error to allow
 * @param jvmtiTotal negative if JVMTI was not asked
 */
record RecordedLoad(String thread, double kernelUser, double kernelSystem, double user, double system,
        double ticks, double beanUser, double beanTotal, double jvmtiTotal) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int WORDS = 8;

    double kernelTotal() {
        return kernelUser + kernelSystem;
    }

    /** The share of the thread's CPU time by which Flight Recorder is wrong. */
    double error() {
        return Math.max(Math.abs(user - kernelUser), Math.abs(system - kernelSystem)) / kernelTotal();
    }

    boolean recordedRight() {
        double slack = Slack.ofTotal(kernelTotal()) + ticks;
        return Math.abs(user - kernelUser) <= slack && Math.abs(system - kernelSystem) <= slack;
    }

    boolean beanRight() {
        return Math.abs(beanUser - kernelUser) <= Slack.ofTotal(kernelTotal()) + ticks;
    }

    static String header() {
        return String.format("%-10s%17s%19s%19s%9s\n%-10s%9s%8s%11s%8s%11s%8s%9s",
                "", "kernel", "Flight Recorder", "ThreadMXBean", "JVMTI",
                "ms", "user", "system", "user", "system", "user", "total", "total");
    }

    String line() {
        String jvmti = jvmtiTotal < 0 ? "-"
                : String.format(Locale.ROOT, "%,.0f", jvmtiTotal / NANOS_PER_MILLI);
        return String.format(Locale.ROOT, "  %-8s%,9.0f%,8.0f%,11.0f%,8.0f%,11.0f%,8.0f%9s  %s", thread,
                kernelUser / NANOS_PER_MILLI, kernelSystem / NANOS_PER_MILLI, user / NANOS_PER_MILLI,
                system / NANOS_PER_MILLI, beanUser / NANOS_PER_MILLI, beanTotal / NANOS_PER_MILLI, jvmti,
                recordedRight() ? "right" : "wrong");
    }

    void figures(Found found, String subject) {
        String each = subject + ", " + thread;
        found.figure(each, "user, kernel", "ms", kernelUser / NANOS_PER_MILLI);
        found.figure(each, "user, Flight Recorder", "ms", user / NANOS_PER_MILLI);
        found.figure(each, "user, ThreadMXBean", "ms", beanUser / NANOS_PER_MILLI);
        found.figure(each, "system, kernel", "ms", kernelSystem / NANOS_PER_MILLI);
        found.figure(each, "system, Flight Recorder", "ms", system / NANOS_PER_MILLI);
        found.figure(each, "total, ThreadMXBean", "ms", beanTotal / NANOS_PER_MILLI);
        if (jvmtiTotal >= 0) {
            found.figure(each, "total, JVMTI", "ms", jvmtiTotal / NANOS_PER_MILLI);
        }
    }

    /** One event of jdk.ThreadCPULoad. Its values are shares of all processors since the previous events. */
    record Event(Instant at, String thread, double user, double system) {
        static List<Event> of(Path recording) throws IOException {
            List<Event> events = new ArrayList<>();
            for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
                if (event.getEventType().getName().equals("jdk.ThreadCPULoad") && event.getThread() != null
                        && event.getThread().getJavaName() != null) {
                    events.add(new Event(event.getStartTime(), event.getThread().getJavaName(),
                            event.getFloat("user"), event.getFloat("system")));
                }
            }
            return events;
        }
    }

    /** Combines what the program RecordedLoads printed with its recording. */
    static List<RecordedLoad> of(Programs.Said said, List<Event> events, long tickNanos) throws IOException {
        if (!said.stdout().contains("done")) {
            throw new IOException("it ended without its results: " + String.join(" / ", said.stdout()));
        }
        List<String[]> printed = said.stdout().stream().filter(line -> line.startsWith("load "))
                .map(line -> line.split(" ")).toList();
        List<String> names = printed.stream().map(words -> words[1]).toList();
        TreeSet<Instant> looks = new TreeSet<>();
        events.stream().filter(event -> names.contains(event.thread)).forEach(event -> looks.add(event.at));
        double processors = Double.parseDouble(said.words("processors")[1]);
        List<RecordedLoad> loads = new ArrayList<>();
        for (String[] words : printed) {
            double[] numbers = new double[WORDS];
            for (int i = 2; i < words.length; i++) {
                numbers[i] = Double.parseDouble(words[i]);
            }
            Instant began = Instant.ofEpochMilli((long) numbers[2]);
            double user = 0;
            double system = 0;
            for (Event event : events) {
                if (event.thread.equals(words[1])) {
                    Instant before = looks.lower(event.at);
                    Instant since = before == null || before.isBefore(began) ? began : before;
                    double available = Duration.between(since, event.at).toNanos() * processors;
                    user += event.user * available;
                    system += event.system * available;
                }
            }
            loads.add(new RecordedLoad(words[1], numbers[3], numbers[4], user, system,
                    (double) looks.size() * tickNanos, numbers[5], numbers[6], numbers[7]));
        }
        return loads;
    }
}
