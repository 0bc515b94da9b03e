// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row 13: which clocks exist, found by trial, and the flag with which old JDKs select one. */
final class ClockDetection implements Experiment {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String FLAG = "UseLinuxPosixThreadCPUClocks";
    private static final double FINE_NANOS = 1_000;

    @Override
    public String name() {
        return "clock-detection";
    }

    @Override
    public List<Integer> rows() {
        return List.of(13);
    }

    @Override
    public String title() {
        return "Which clocks there are";
    }

    @Override
    public String question() {
        return "Does this kernel have a precise clock and a user-time clock for each thread? Does libc"
                + " make the id as documented? What does threadclock choose? Which JDKs still have the"
                + " flag that chose by hand? Confirmed: pthread_getcpuclockid gives the thread's precise"
                + " clock, with a resolution of at most a microsecond;"
                + " threadclock has a source for every quantity; and every JDK that has the flag has it on.";
    }

    @Override
    public String published() {
        return "Packagecloud's blog and JDK-8372625: JDK 6 had -XX:+" + FLAG
                + ", off by default; later ones detect by"
                + " clock_getres and pthread_getcpuclockid.";
    }

    @Override
    public String conditions(Lab lab) {
        return "build/lab/detect: clock_getres on each clock of the calling thread, pthread_getcpuclockid,"
                + " threadclock_describe; java -XX:+PrintFlagsFinal of each JDK.";
    }

    @Override
    public int seconds(Lab lab) {
        return 1 + lab.jdks().size() / 2;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        JsonObject detected = Programs.json(List.of(Programs.built(lab, "detect").toString()), LIMIT);
        Found found = new Found();
        for (String clock : List.of("thread_cputime", "sched", "virt", "prof")) {
            found.figure("clock_getres", clock, "ns", detected.get(clock + "_ns").getAsDouble());
        }
        List<String> missing = new ArrayList<>();
        for (JsonElement element : detected.getAsJsonArray("sources")) {
            JsonObject source = element.getAsJsonObject();
            String subject = "threadclock, " + source.get("name").getAsString() + ": "
                    + source.get("source").getAsString();
            found.figure(subject, "system calls", "a read", source.get("system_calls").getAsDouble());
            found.figure(subject, "resolution", "ns", source.get("resolution_ns").getAsDouble());
            found.figure(subject, "age, at most", "ns", source.get("age_ns").getAsDouble());
            if (source.get("source").getAsString().equals("none")) {
                missing.add(source.get("name").getAsString());
            }
        }
        boolean agrees = detected.get("getcpuclockid_is_sched_of_tid").getAsBoolean();
        double fine = detected.get("sched_ns").getAsDouble();
        found.figure("pthread_getcpuclockid", "is the precise clock by TID", "true", agrees ? 1 : 0);

        List<String> with = new ArrayList<>();
        List<String> off = new ArrayList<>();
        List<String> without = new ArrayList<>();
        for (LabJdk jdk : LabJdk.all(lab)) {
            lab.progress().accept(jdk.jdk().label());
            Boolean flag = flag(jdk);
            found.figure(jdk.jdk().label(), FLAG, "0 off, 1 on, -1 none", flag == null ? -1 : flag ? 1 : 0);
            (flag == null ? without : flag ? with : off).add("" + jdk.jdk().feature());
        }
        Verdict verdict = agrees && fine > 0 && fine <= FINE_NANOS && missing.isEmpty() && off.isEmpty()
                ? Verdict.CONFIRMED
                : Verdict.NOT_CONFIRMED;
        return found.outcome(verdict,
                "The precise clock counts in steps of " + Figures.duration(fine) + ", the one of user time"
                        + " in"
                        + " ticks of "
                        + Figures.duration(detected.get("virt_ns").getAsDouble()) + ";"
                        + " pthread_getcpuclockid "
                        + (agrees ? "gives the first"
                                : "gives another one")
                        + "; threadclock has a source for "
                        + (missing.isEmpty() ? "everything" : "all but " + String.join(", ", missing))
                        + ". " + flagged(with, off, without));
    }

    /** "The flag is on in JDK 11 and 17, not there in JDK 25.", by feature versions. */
    static String flagged(List<String> on, List<String> off, List<String> without) {
        List<String> said = new ArrayList<>();
        if (!on.isEmpty()) {
            said.add("on in JDK " + listed(on));
        }
        if (!off.isEmpty()) {
            said.add("off in JDK " + listed(off));
        }
        if (!without.isEmpty()) {
            said.add("not there in JDK " + listed(without));
        }
        return "The flag is " + String.join(", ", said) + ".";
    }

    private static String listed(List<String> features) {
        return String.join(" and ", features.stream().distinct().toList());
    }

    /** Null if the JDK has no such flag. */
    static Boolean flag(LabJdk jdk) throws IOException {
        List<String> lines = new ArrayList<>();
        Children.run(List.of(jdk.jdk().java().toString(), "-XX:+PrintFlagsFinal", "-version"), LIMIT,
                lines::add);
        return parse(lines);
    }

    /**
     * Parses "bool UseLinuxPosixThreadCPUClocks   = true   {product} {default}", with ":=" if it was changed.
     */
    static Boolean parse(List<String> lines) {
        return lines.stream().map(String::trim).filter(line -> line.startsWith("bool " + FLAG + " "))
                .findFirst()
                .map(line -> line.matches(".*=\\s*true\\b.*")).orElse(null);
    }
}
