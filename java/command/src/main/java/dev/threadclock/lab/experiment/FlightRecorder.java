// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.command.machine.TickClock;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.RecordedLoads;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.JavaModules;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Row 18: what Flight Recorder reports of threads that a count of ticks misjudges. */
final class FlightRecorder implements Experiment {
    private static final int PERIOD_MILLIS = 1_000;
    private static final int QUICK_SECONDS = 3;
    private static final int FULL_SECONDS = 60;
    private static final int LEGACY_SECONDS = 20;
    private static final int FIRST_WITH_BITS = 25;
    private static final int START_SECONDS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** How a JVM is started. */
    enum Mode {
        AS_IT_IS("as it is"), AGENT("threadclock"), REACH_JVM("threadclock, reach=jvm");

        private final String words;

        /** A quick lab omits the mode with the agent but without its effect on Flight Recorder. */
        static List<Mode> of(Lab lab) {
            return lab.quick() ? List.of(AS_IT_IS, REACH_JVM) : List.of(values());
        }

        Mode(String words) {
            this.words = words;
        }

        List<String> options(Lab lab, LabJdk jdk) {
            return this == AS_IT_IS ? List.of() : jdk.agent(lab, this == REACH_JVM ? "reach=jvm" : "");
        }
    }

    /** The loads of the three threads of one JVM. */
    record Run(String jdk, boolean legacy, Mode mode, List<RecordedLoad> loads) {
        String subject() {
            return jdk + ", " + mode.words;
        }

        /** Flight Recorder should be right where /proc or threadclock answers it; ThreadMXBean likewise. */
        boolean asClaimed() {
            boolean recorder = legacy || mode == Mode.REACH_JVM;
            boolean bean = legacy || mode != Mode.AS_IT_IS;
            return loads.stream()
                    .allMatch(load -> (!recorder || load.recordedRight()) && (!bean || load.beanRight()));
        }
    }

    @Override
    public String name() {
        return "flight-recorder";
    }

    @Override
    public List<Integer> rows() {
        return List.of(18);
    }

    @Override
    public String title() {
        return "Does Flight Recorder say what the kernel says?";
    }

    @Override
    public String question() {
        return "One thread works around the timer's ticks, one between them, one in the kernel. Flight"
                + " Recorder's jdk.ThreadCPULoad divides their CPU time into user and system; does the"
                + " kernel divide it likewise? Confirmed: where the JVM reads /proc, and with reach=jvm on"
                + " each JDK, they agree to 5 % of the thread's CPU time and a tick per event, and so does"
                + " ThreadMXBean with threadclock. What a JVM that counts ticks reports without"
                + " threadclock is only shown.";
    }

    @Override
    public String conditions(Lab lab) {
        String other = lab.quick() ? "" : " (" + seconds(lab, true) + " s on JDKs that read /proc)";
        return "The three threads at once for " + seconds(lab, false) + " s" + other + ", a recording with"
                + " an event each second, in each JDK as it is," + (lab.quick() ? "" : " with threadclock,")
                + " and with reach=jvm. The truth is /proc, in steps of 10 ms; JVMTI has totals only."
                + (lab.quick() ? " Quick: the newest JDK that reads /proc, and the newest only." : "");
    }

    @Override
    public int seconds(Lab lab) {
        int each = Mode.of(lab).size();
        if (lab.quick()) {
            return Math.min(2, lab.jdks().size()) * each * (QUICK_SECONDS + START_SECONDS);
        }
        return each * lab.jdks().stream()
                .mapToInt(jdk -> START_SECONDS + seconds(lab, jdk.feature() < FIRST_WITH_BITS)).sum();
    }

    private static int seconds(Lab lab, boolean legacy) {
        return lab.quick() ? QUICK_SECONDS : legacy ? LEGACY_SECONDS : FULL_SECONDS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        try {
            JavaModules.require("jdk.jfr");
        } catch (Failure e) {
            throw new NotRunnable(e.getMessage());
        }
        Found found = new Found();
        List<Run> runs = new ArrayList<>();
        for (LabJdk jdk : chosen(lab)) {
            try {
                for (Mode mode : Mode.of(lab)) {
                    runs.add(measure(lab, jdk, mode, found));
                }
            } catch (IOException e) {
                found.note(jdk.jdk().label() + " makes no such recording: " + e.getMessage());
            }
        }
        if (runs.isEmpty()) {
            throw new IOException("no JDK here makes a recording of jdk.ThreadCPULoad with these threads");
        }
        runs.forEach(run -> run.loads.forEach(load -> load.figures(found, run.subject())));
        found.attach("What each says", "text/plain", table(runs));
        return found.outcome(judge(runs), finding(runs));
    }

    /** All JDKs; in a quick lab the newest legacy one and the newest. */
    private static List<LabJdk> chosen(Lab lab) throws NotRunnable, IOException {
        List<LabJdk> all = LabJdk.chosen(lab);
        LabJdk newest = all.get(all.size() - 1);
        LabJdk legacy = LabJdk.last(all.stream().filter(LabJdk::legacy)).orElse(newest);
        return lab.quick() ? Stream.of(legacy, newest).distinct().toList() : all;
    }

    private static Run measure(Lab lab, LabJdk jdk, Mode mode, Found found)
            throws IOException, NotRunnable {
        lab.progress().accept(jdk.jdk().label() + ", " + mode.words);
        Path recording = lab.scratch().resolve("load.jfr");
        Path settings = Files.writeString(lab.scratch().resolve("load.jfc"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <configuration version="2.0"><event name="jdk.ThreadCPULoad">
                  <setting name="enabled">true</setting><setting name="period">%d ms</setting>
                </event></configuration>
                """.formatted(PERIOD_MILLIS));
        List<String> options = new ArrayList<>(mode.options(lab, jdk));
        options.add("-XX:StartFlightRecording=dumponexit=true,settings=" + settings
                + ",filename=" + recording);
        TickClock ticks = Rightness.ticks();
        List<Object> arguments = new ArrayList<>(List.of(seconds(lab, jdk.legacy()) * 1000,
                ticks.lengthNanos(), ticks.phaseNanos(), PERIOD_MILLIS));
        try {
            options.add("-agentpath:" + Programs.built(lab, "libjvmti_clock.so"));
            arguments.add("jvmti");
        } catch (NotRunnable e) {
            found.noteOnce("JVMTI is not asked: " + e.getMessage());
        }
        Programs.Said said = Programs.run(
                jdk.command(lab, false, options, RecordedLoads.class, arguments.toArray()), LIMIT);
        List<RecordedLoad> loads = RecordedLoad.of(said, RecordedLoad.Event.of(recording),
                ticks.lengthNanos());
        Files.delete(recording);
        return new Run(jdk.jdk().label(), jdk.legacy(), mode, loads);
    }

    static Verdict judge(List<Run> runs) {
        return runs.stream().allMatch(Run::asClaimed) ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED;
    }

    static String table(List<Run> runs) {
        StringBuilder text = new StringBuilder(RecordedLoad.header()).append('\n');
        for (Run run : runs) {
            text.append(run.subject()).append('\n');
            run.loads.forEach(load -> text.append(load.line()).append('\n'));
        }
        return text.toString();
    }

    static String finding(List<Run> runs) {
        Map<String, List<Run>> groups = new LinkedHashMap<>();
        for (Run run : runs) {
            String who = run.legacy ? "where the JVM reads /proc" : "where it counts ticks";
            groups.computeIfAbsent(who + (run.mode == Mode.REACH_JVM ? ", with reach=jvm" : ""),
                    any -> new ArrayList<>()).add(run);
        }
        List<String> parts = new ArrayList<>();
        groups.forEach((who, group) -> parts.add(Figures.number(100 * largest(group)) + " % " + who));
        List<String> wrong = runs.stream().filter(run -> !run.asClaimed()).map(Run::subject).toList();
        return "Flight Recorder's largest error, as a share of a thread's CPU time: "
                + String.join("; ", parts) + "."
                + (wrong.isEmpty() ? "" : " Not as claimed: " + String.join("; ", wrong) + ".");
    }

    private static double largest(List<Run> runs) {
        return runs.stream().flatMap(run -> run.loads.stream()).mapToDouble(RecordedLoad::error).max()
                .orElse(0);
    }
}
