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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Row 12: which of JMX, JVMTI and JFR take the slow path in a JVM. */
final class Consumers implements Experiment {
    private static final int READS = 1_000;
    private static final int RECORD_SECONDS = 3;
    private static final int CPU_TIME_SAMPLER = 25;
    private static final double CLEARLY = 0.5;
    private static final double NONE = 0.01;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Pattern STAT_FILE = Pattern.compile("\"/proc/(self|\\d+)/task/\\d+/stat\"");
    /** Subjects by the KIND argument to the program Reads. */
    private static final Map<String, String> JMX = jmx();

    private static Map<String, String> jmx() {
        Map<String, String> kinds = new LinkedHashMap<>();
        kinds.put("user", "getCurrentThreadUserTime()");
        kinds.put("userById", "getThreadUserTime(id)");
        kinds.put("userOfArray", "getThreadUserTime(ids)");
        kinds.put("proxy", "the same by a JMX proxy");
        return kinds;
    }

    @Override
    public String name() {
        return "consumers";
    }

    @Override
    public List<Integer> rows() {
        return List.of(12);
    }

    @Override
    public String title() {
        return "Who takes the slow path";
    }

    @Override
    public String question() {
        return "Which parts of a JVM open a thread's stat file, and which of them stop with threadclock?"
                + " Confirmed: on a legacy JDK each way of JMX opens it once per read, and never with"
                + " threadclock. The others are only shown.";
    }

    @Override
    public String published() {
        return "openjdk/jdk25u-dev 621: JMX ThreadMXBean, JVMTI GetThreadCpuTime, the JFR thread CPU load"
                + " event, the JFR CPU-time sampler; on x86-64 and aarch64.";
    }

    @Override
    public String conditions(Lab lab) {
        return "strace counts the openings of /proc/self/task/TID/stat: " + READS
                + " reads by each way of JMX and by JVMTI, "
                + RECORD_SECONDS
                + " s of a recording with only that JFR event, ten times a second. The newest legacy JDK"
                + " and the newest, as they are and with threadclock.";
    }

    @Override
    public int seconds(Lab lab) {
        return 40;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        if (Programs.onPath("strace").isEmpty()) {
            throw new NotRunnable("strace is missing: apt-get install strace");
        }
        LabJdk.legacy(lab);
        List<LabJdk> all = LabJdk.all(lab);
        Found found = new Found();
        List<String> wrong = new ArrayList<>();
        Others others = new Others(new ArrayList<>(), new ArrayList<>());
        LabJdk legacy = LabJdk.last(all.stream().filter(LabJdk::legacy)).orElseThrow();
        for (LabJdk jdk : Stream.of(legacy, all.get(all.size() - 1)).distinct().toList()) {
            for (boolean agent : new boolean[]{false, true}) {
                for (Map.Entry<String, String> way : JMX.entrySet()) {
                    double opens = opens(lab, jdk, agent, List.of(), way.getValue(), found, "count",
                            way.getKey(), READS) / (double) READS;
                    if (jdk.legacy() && !agent ? opens < CLEARLY : opens > NONE) {
                        wrong.add(jdk.label(agent) + ", " + way.getValue() + ": " + Figures.number(opens)
                                + " a read");
                    }
                }
                jvmti(lab, jdk, agent, found, others);
            }
            jfr(lab, jdk, found, others);
        }
        found.note(
                "JVMTI GetThreadCpuTime and the JFR CPU-time sampler ask for the total only. The JFR thread"
                        + " CPU load event"
                        + " reads user time inside libjvm.so, which threadclock changes only with its"
                        + " option reach=jvm.");
        return found.outcome(wrong.isEmpty() ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED, wrong.isEmpty()
                ? "JMX opens the file once a read on " + legacy.jdk().label() + ", by all of " + JMX.size()
                        + " ways, and never"
                        + " with threadclock. Of the others these open it: " + listed(others.opening)
                        + "; these do not: "
                        + listed(others.not) + "."
                : "Not as expected: " + String.join("; ", wrong) + ".");
    }

    /** The consumers other than JMX, divided by whether they opened a stat file. */
    private record Others(List<String> opening, List<String> not) {
        void add(LabJdk jdk, String what, long opens) {
            (opens > NONE * READS ? opening : not).add(what + " (" + jdk.jdk().label() + ")");
        }
    }

    private static String listed(List<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", names.stream().distinct().toList());
    }

    private static void jvmti(Lab lab, LabJdk jdk, boolean agent, Found found, Others others)
            throws IOException {
        try {
            Path library = Programs.built(lab, "libjvmti_clock.so");
            String what = "JVMTI GetThreadCpuTime";
            others.add(jdk, what, opens(lab, jdk, agent, List.of("-agentpath:" + library), what, found,
                    "count", "jvmti", READS));
        } catch (NotRunnable e) {
            found.note("JVMTI: " + e.getMessage());
        }
    }

    private static void jfr(Lab lab, LabJdk jdk, Found found, Others others) throws IOException {
        Map<String, String> events = new LinkedHashMap<>(Map.of("jdk.ThreadCPULoad", "period"));
        if (jdk.jdk().feature() >= CPU_TIME_SAMPLER) {
            events.put("jdk.CPUTimeSample", "throttle");
        }
        for (Map.Entry<String, String> event : events.entrySet()) {
            Path settings = lab.scratch().resolve("lab.jfc");
            Files.writeString(settings, """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <configuration version="2.0"><event name="%s">
                      <setting name="enabled">true</setting><setting name="%s">100 ms</setting>
                    </event></configuration>
                    """.formatted(event.getKey(), event.getValue()));
            try {
                long opens = opens(lab, jdk, false,
                        List.of("-XX:StartFlightRecording=settings=" + settings + ",filename="
                                + lab.scratch().resolve("lab.jfr")),
                        "JFR " + event.getKey(), found, "seconds", "busy", RECORD_SECONDS);
                others.add(jdk, "JFR " + event.getKey(), opens);
            } catch (IOException e) {
                found.note(jdk.jdk().label() + " makes no recording of " + event.getKey() + ": "
                        + e.getMessage());
            }
        }
    }

    /** The number of times that the program opened a thread's stat file. */
    private static long opens(Lab lab, LabJdk jdk, boolean agent, List<String> options, String what,
            Found found,
            Object... arguments) throws IOException {
        String subject = jdk.label(agent) + ", " + what;
        lab.progress().accept(subject);
        Path trace = lab.scratch().resolve("trace");
        List<String> command = new ArrayList<>(
                List.of("strace", "-f", "-qq", "-e", "trace=openat", "-e", "signal=none", "-o",
                        trace.toString()));
        command.addAll(jdk.command(lab, agent, options, CountedReads.class, arguments));
        Programs.run(command, LIMIT);
        long opens = count(Files.readString(trace));
        boolean each = arguments[0].equals("count");
        found.figure(subject, "stat files opened", each ? "a read" : "in " + RECORD_SECONDS + " s",
                each ? (double) opens / READS : opens);
        return opens;
    }

    static long count(String trace) {
        return STAT_FILE.matcher(trace).results().count();
    }
}
