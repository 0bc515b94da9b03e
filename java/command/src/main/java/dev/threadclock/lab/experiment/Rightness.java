// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.Slack;
import dev.threadclock.command.probe.Split;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row 14: what each source reports for threads whose work is known. */
final class Rightness implements Experiment {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int ATTEMPTS = 3;
    private static final String OURS = "threadclock";
    private static final String BITS = "bits";
    private static final double NANOS_PER_MILLI = 1e6;

    /** A reading of user time and the true value. disturbed: whether the load failed to run as planned. */
    record Reading(String source, String load, double trueUser, double user, double total,
            boolean disturbed) {
        /**
         * Mixed loads, and kernel work that is partly Java's own, are estimated from ticks and have chance
         * errors. Pure user time has none.
         */
        boolean right() {
            boolean chance = load.startsWith("mix") || load.startsWith("system");
            return Math.abs(user - trueUser) <= (chance ? Slack.ofMixed(total) : Slack.ofPure(total));
        }

        boolean saysNothing() {
            return disturbed && !right();
        }

        double error() {
            return (user - trueUser) / total;
        }

        String words() {
            return source + ", " + load + ": " + Figures.percent(error());
        }
    }

    @Override
    public String name() {
        return "rightness";
    }

    @Override
    public List<Integer> rows() {
        return List.of(14);
    }

    @Override
    public String title() {
        return "Is it right?";
    }

    @Override
    public String question() {
        return "A thread's work is known: in user mode only, around the timer's ticks, between them, or"
                + " all the time; in the kernel only; mixed. What user time does each source report?"
                + " Confirmed: threadclock is right everywhere (to 10 ms and 5 % of the total, 15 % where"
                + " kernel and user mode alternate and ticks are a sample), with user + system within the"
                + " total; and so are the legacy JDKs. What bits report is shown.";
    }

    @Override
    public String conditions(Lab lab) {
        return "Six loads in C (build/lab/split), five in each JDK as it is and with threadclock; "
                + millis(lab) + " ms each, in"
                + " a thread of its own. The truth is the precise clock, read around each kind of work. A"
                + " load around ticks or between them does not count if other threads kept it from its"
                + " moments."
                + LabJdk.leftOut(lab);
    }

    @Override
    public int seconds(Lab lab) {
        int jdks = lab.quick() ? Math.min(4, lab.jdks().size()) : lab.jdks().size();
        return (6 + 2 * jdks * 5) * millis(lab) / 1000 + 2 * jdks * 2;
    }

    private static int millis(Lab lab) {
        return lab.quick() ? 600 : 2_000;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Found found = new Found();
        List<Reading> readings = new ArrayList<>(inC(lab));
        for (LabJdk jdk : LabJdk.chosen(lab)) {
            for (boolean agent : new boolean[]{false, true}) {
                readings.addAll(inJava(lab, jdk, agent));
            }
        }
        for (Reading reading : readings) {
            String subject = reading.source + ", " + reading.load + (reading.disturbed ? " (disturbed)" : "");
            found.figure(subject, "true user", "ms", reading.trueUser / NANOS_PER_MILLI);
            found.figure(subject, "user", "ms", reading.user / NANOS_PER_MILLI);
            found.figure(subject, "error of the total", "%", 100 * reading.error());
        }
        List<Reading> bits = readings.stream()
                .filter(reading -> reading.source.contains(BITS) && !reading.right()).toList();
        if (bits.isEmpty()) {
            found.note(
                    "No clock of ticks (bits) was wrong here: either none was asked, or this kernel times"
                            + " each entry instead of counting ticks.");
        }
        List<Reading> wrong = readings.stream()
                .filter(reading -> !reading.source.contains(BITS) && !reading.right()).toList();
        String worst = bits.isEmpty() ? "" : " Bits are wrong by "
                + Figures.percent(bits.stream().mapToDouble(Reading::error).min().orElse(0)) + " to "
                + Figures.percent(bits.stream().mapToDouble(Reading::error).max().orElse(0))
                + " of the total.";
        return found.outcome(judge(readings),
                (wrong.isEmpty() ? "threadclock and the legacy JDKs are right in all of their "
                        + readings.stream().filter(reading -> !reading.source.contains(BITS)).count()
                        + " readings."
                        : "Wrong: " + String.join("; ", wrong.stream().map(Reading::words).toList()) + ".")
                        + worst);
    }

    /** Judges the sources that should be right. A disturbed load is inconclusive. */
    static Verdict judge(List<Reading> readings) {
        List<Reading> wrong = readings.stream()
                .filter(reading -> !reading.source.contains(BITS) && !reading.right()).toList();
        if (wrong.isEmpty()) {
            return Verdict.CONFIRMED;
        }
        return wrong.stream().allMatch(Reading::saysNothing) ? Verdict.TOO_NOISY : Verdict.NOT_CONFIRMED;
    }

    private static List<Reading> inC(Lab lab) throws NotRunnable, IOException {
        Path split = Programs.built(lab, "split");
        lab.progress().accept("in C");
        List<Reading> readings = new ArrayList<>();
        JsonObject run = Programs.json(List.of(split.toString(), "" + millis(lab)), LIMIT);
        for (JsonElement element : run.getAsJsonArray("loads")) {
            JsonObject load = element.getAsJsonObject();
            String name = load.get("load").getAsString();
            double total = load.get("total_ns").getAsDouble();
            for (JsonElement reading : load.getAsJsonArray("readings")) {
                JsonObject one = reading.getAsJsonObject();
                String source = one.get("source").getAsString();
                double both = one.get("user_ns").getAsDouble() + one.get("system_ns").getAsDouble();
                readings.add(new Reading("C: " + source, name, load.get("user_ns").getAsDouble(),
                        one.get("user_ns").getAsDouble(), total, false));
                if (source.startsWith(OURS) && both > total) {
                    throw new IOException(source + ", " + name + ": user + system is " + (long) both
                            + " ns, the total read later " + (long) total);
                }
            }
        }
        return readings;
    }

    /** Repeats the run if a wrong reading is inconclusive because its load was disturbed. */
    private static List<Reading> inJava(Lab lab, LabJdk jdk, boolean agent) throws IOException, NotRunnable {
        List<Reading> readings = once(lab, jdk, agent);
        for (int attempt = 1; attempt < ATTEMPTS
                && readings.stream().anyMatch(Reading::saysNothing); attempt++) {
            readings = once(lab, jdk, agent);
        }
        return readings;
    }

    private static List<Reading> once(Lab lab, LabJdk jdk, boolean agent) throws IOException, NotRunnable {
        String source = jdk.label(agent);
        lab.progress().accept(source);
        TickClock ticks = ticks();
        List<String> lines = Programs
                .run(jdk.command(lab, agent, List.of(), Split.class, millis(lab), ticks.lengthNanos(),
                        ticks.phaseNanos()), LIMIT)
                .stdout();
        return parse(source, lines);
    }

    static List<Reading> parse(String source, List<String> lines) throws IOException {
        if (!lines.contains("done")) {
            throw new IOException(source + " ended without its results: " + String.join(" / ", lines));
        }
        return lines.stream().map(line -> line.split(" ")).filter(words -> words[0].equals("split"))
                .map(words -> new Reading(source, words[1], Double.parseDouble(words[2]),
                        Double.parseDouble(words[3]),
                        Double.parseDouble(words[4]),
                        words[5].equals("0")))
                .toList();
    }

    static TickClock ticks() throws NotRunnable {
        try {
            return TickClock.learn();
        } catch (Failure e) {
            throw new NotRunnable(e.getMessage());
        }
    }
}
