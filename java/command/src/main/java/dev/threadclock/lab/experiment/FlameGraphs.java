// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.CountedReads;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

/** Row 8: where reads spend their time without and with the agent, as flame graphs. */
final class FlameGraphs implements Experiment {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final double MOST_BEFORE = 0.5;
    private static final double LEAST_AFTER = 0.05;
    /** perf_event, with kernel frames, if the kernel permits it; otherwise timers. */
    private static final List<String> EVENTS = List.of("cpu", "ctimer", "itimer");

    /** The categories of frames; the first one determines the verdict. */
    private static final Map<String, Pattern> PARTS = parts();

    private static Map<String, Pattern> parts() {
        Map<String, Pattern> parts = new LinkedHashMap<>();
        parts.put("open, read and close of the file",
                Pattern.compile("(^|;)(os::)?(fopen|fread|fclose|__fopen_internal|_IO_new_fclose|"
                        + "(__GI_+)?(libc_)?(open|open64|openat|read|close)|"
                        + "__(x64|arm64)_sys_(openat|read|close)|ksys_read)(_\\[k])?(;|$)"));
        parts.put("parsing the text", Pattern.compile("scanf|strtol|strchr|strrchr"));
        parts.put("locks", Pattern.compile("(spin_lock|lockref|mutex|lock_task_sighand|rwsem)"));
        parts.put("reading a clock", Pattern.compile("clock_gettime|posix_cpu_clock_get|getrusage"));
        parts.put("looking up the TID",
                Pattern.compile("find_vpid|idr_find|radix_tree|pid_task|find_pid_ns|pid_for_clock"));
        return parts;
    }

    @Override
    public String name() {
        return "flame-graphs";
    }

    @Override
    public List<Integer> rows() {
        return List.of(8);
    }

    @Override
    public String title() {
        return "Where the time of a read goes";
    }

    @Override
    public String question() {
        return "What does the CPU do while Java reads user time, before and after? Confirmed: on a legacy"
                + " JDK more than half of"
                + " all samples are in opening, reading and closing the file; with threadclock less than a"
                + " twentieth.";
    }

    @Override
    public String published() {
        return "QuestDB blog, async-profiler: before, open, read, close and locks in the kernel; after, one"
                + " system call, in it the"
                + " look-up of the TID in a radix tree, which naming the caller 0 avoids.";
    }

    @Override
    public String conditions(Lab lab) {
        return "async-profiler 4.6 (Maven Central) in a JVM that reads its user time for " + seconds1(lab)
                + " s, each ms of CPU"
                + " time: event cpu (perf_event) with the kernel's frames where permitted, else ctimer or"
                + " itimer without them. The"
                + " newest legacy JDK as it is and with threadclock, and the newest JDK as it is.";
    }

    @Override
    public int seconds(Lab lab) {
        return 6 * seconds1(lab) + 4;
    }

    private static int seconds1(Lab lab) {
        return lab.quick() ? 2 : 10;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path profiler = profiler(lab);
        List<LabJdk> all = LabJdk.all(lab);
        LabJdk.legacy(lab);
        LabJdk legacy = LabJdk.last(all.stream().filter(LabJdk::legacy)).orElseThrow();
        LabJdk newest = all.get(all.size() - 1);
        Found found = new Found();
        double before = profile(lab, profiler, legacy, false, found);
        double after = profile(lab, profiler, legacy, true, found);
        if (!newest.legacy()) {
            profile(lab, profiler, newest, false, found);
        }
        return found.outcome(
                before > MOST_BEFORE && after < LEAST_AFTER ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED,
                "In opening, reading and closing the file: " + Figures.number(100 * before)
                        + " % of the samples on "
                        + legacy.jdk().label() + ", " + Figures.number(100 * after) + " % with threadclock.");
    }

    /** Attaches the flame graph and returns the share of file access. */
    private static double profile(Lab lab, Path profiler, LabJdk jdk, boolean agent, Found found)
            throws IOException, NotRunnable {
        String subject = jdk.label(agent);
        String refusals = "";
        for (String event : EVENTS) {
            lab.progress().accept(subject + ", " + event);
            String collapsed = record(lab, profiler, jdk, agent, event, "collapsed");
            Map<String, Double> shares = shares(collapsed);
            if (shares.isEmpty()) {
                refusals += (refusals.isEmpty() ? "" : ", ") + event;
                continue;
            }
            if (!refusals.isEmpty()) {
                found.note(subject + ": async-profiler got no samples by " + refusals
                        + " (kernel.perf_event_paranoid forbids it"
                        + " to this user, or the container does): " + event
                        + " was used, without the kernel's frames.");
            }
            shares.forEach((part, share) -> found.figure(subject, part, "%", 100 * share));
            found.attach("Flame graph: " + subject, "text/html",
                    record(lab, profiler, jdk, agent, event, "html"));
            return shares.get(PARTS.keySet().iterator().next());
        }
        throw new NotRunnable("async-profiler got no samples here by any of " + String.join(", ", EVENTS));
    }

    private static String record(Lab lab, Path profiler, LabJdk jdk, boolean agent, String event,
            String format) throws IOException {
        Path file = lab.scratch().resolve("profile." + format);
        Files.deleteIfExists(file);
        Programs.run(jdk.command(
                lab, agent, List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints",
                        "-agentpath:" + profiler + "=start,event=" + event
                                + ",interval=1ms,threads=false,include=*CountedReads.run*,file="
                                + file),
                CountedReads.class, "seconds", "user", seconds1(lab)), LIMIT);
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Each part's share of the samples in collapsed stacks, "frame;frame;frame count"; may be empty. */
    static Map<String, Double> shares(String collapsed) {
        Map<String, Double> shares = new LinkedHashMap<>();
        long all = 0;
        for (String line : collapsed.split("\n")) {
            int space = line.lastIndexOf(' ');
            if (space < 0) {
                continue;
            }
            long count = Long.parseLong(line.substring(space + 1).trim());
            all += count;
            for (Map.Entry<String, Pattern> part : PARTS.entrySet()) {
                if (part.getValue().matcher(line.substring(0, space)).find()) {
                    shares.merge(part.getKey(), (double) count, Double::sum);
                }
            }
        }
        if (all == 0) {
            return Map.of();
        }
        Map<String, Double> ordered = new LinkedHashMap<>();
        for (String part : PARTS.keySet()) {
            ordered.put(part, shares.getOrDefault(part, 0.0) / all);
        }
        return ordered;
    }

    /** Extracts the profiler from benchmarks.jar, which has it from Maven Central. */
    private static Path profiler(Lab lab) throws NotRunnable, IOException {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
        Path library = lab.scratch().resolve("libasyncProfiler.so");
        try (JarFile jar = new JarFile(Programs.built(lab, "benchmarks.jar").toFile())) {
            ZipEntry entry = jar.getEntry(platform + "/libasyncProfiler.so");
            if (entry == null) {
                throw new NotRunnable("async-profiler has no library for " + platform);
            }
            try (InputStream in = jar.getInputStream(entry)) {
                Files.copy(in, library);
            }
        }
        return library;
    }
}
