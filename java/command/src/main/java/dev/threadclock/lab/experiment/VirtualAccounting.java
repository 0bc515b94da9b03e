// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.VirtualLoads;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Row 19: the CPU time of virtual threads compared with that of their carriers, and with mounted time. */
final class VirtualAccounting implements Experiment {
    private static final int FIRST = 21;
    private static final int QUICK_MILLIS = 250;
    private static final int FULL_MILLIS = 2_000;
    private static final int QUICK_ROUNDS = 1;
    private static final int FULL_ROUNDS = 3;
    private static final int CLOCKS = 3;
    private static final int LONG_SLICE_MICROS = 1_000;
    private static final int SHORT_SLICE_MICROS = 100;
    private static final double LEAST_OF_LONG = 0.99;
    private static final double LEAST_OF_SHORT = 0.96;
    /** Interpolated totals may exceed the kernel's clock, but by far less than this in a second. */
    private static final double MOST = 1.001;
    /** Carriers that wait for a CPU during a slice shorten it, and their own work becomes a larger part. */
    private static final double LEAST_RUNNING = 0.95;
    private static final String TICK = "tick";
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** A sum over virtual threads, and the CPU time that their carriers would have without waits. */
    record Round(double cpu, double carriers, double elapsed) {
        double share() {
            return cpu / carriers;
        }

        boolean undisturbed() {
            return carriers >= LEAST_RUNNING * elapsed;
        }
    }

    /**
     * A load in all rounds.
     *
     * @param least the lowest share of the carriers' CPU time that confirms the claim; 0 if there is none
     */
    record Sum(String what, double least, List<Round> rounds) {
        boolean judged() {
            return least > 0;
        }

        List<Double> shares() {
            return rounds.stream().map(Round::share).toList();
        }

        double median() {
            return Numbers.median(shares());
        }

        boolean reached() {
            return median() >= least;
        }

        /** Whether a round reached it or its carriers had to wait, which other loads may have caused. */
        boolean possible() {
            return rounds.stream().anyMatch(round -> round.share() >= least || !round.undisturbed());
        }

        boolean tooMuch() {
            return rounds.stream().anyMatch(round -> round.share() > MOST);
        }

        double running() {
            return rounds.stream().mapToDouble(round -> round.carriers / round.elapsed).min().orElse(0);
        }
    }

    /** One JDK: the sums, and mounted time as a multiple of CPU time, by number of burners. */
    record Run(String jdk, List<Sum> sums, Map<String, List<Double>> mounted) {}

    @Override
    public String name() {
        return "virtual-threads";
    }

    @Override
    public List<Integer> rows() {
        return List.of(19);
    }

    @Override
    public String title() {
        return "Virtual threads: their CPU time, their carriers', and mounted time";
    }

    @Override
    public String question() {
        return "The kernel does not know virtual threads; threadclock adds up what their carriers use from"
                + " mount to unmount. Is the sum over all of them their carriers' CPU time, except for the"
                + " scheduler's share? And can the time for which a thread is mounted replace it? Confirmed:"
                + " with the clocks now and interpolated the sum is within 1 % of the carriers' at slices of"
                + " 1 ms and longer, within 4 % at 100 µs, and never more than 0.1 % above it. A sum that"
                + " is too small proves nothing if the carriers had no CPU for more than 5 % of the time."
                + " The clock tick, shorter slices and mounted time are only shown.";
    }

    @Override
    public String conditions(Lab lab) {
        return "In each JDK from " + FIRST + " on, with as many carriers as CPUs: four virtual threads a CPU"
                + " that yield after each slice, for each clock and length of a slice; two that wait after"
                + " each 10 million steps of work, beside 0, 1, 2 and 4 threads that burn. " + millis(lab)
                + " ms each, " + (lab.quick() ? "once, on the newest JDK only." : "the median of "
                        + FULL_ROUNDS + " rounds.");
    }

    @Override
    public int seconds(Lab lab) {
        int loads = CLOCKS * VirtualLoads.SLICE_MICROS.length + VirtualLoads.BURNERS.length + 1;
        long jdks = lab.jdks().stream().filter(jdk -> jdk.feature() >= FIRST).count();
        int each = 1 + loads * rounds(lab) * millis(lab) / 1_000;
        return (int) Math.max(1, lab.quick() ? Math.min(1, jdks) * each : jdks * each);
    }

    private static int millis(Lab lab) {
        return lab.quick() ? QUICK_MILLIS : FULL_MILLIS;
    }

    private static int rounds(Lab lab) {
        return lab.quick() ? QUICK_ROUNDS : FULL_ROUNDS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        List<LabJdk> jdks = LabJdk.all(lab).stream().filter(jdk -> jdk.jdk().feature() >= FIRST).toList();
        if (jdks.isEmpty()) {
            throw new NotRunnable("no JDK here has virtual threads; install one from " + FIRST
                    + " on, or name it with --jdk");
        }
        Found found = new Found();
        List<Run> runs = new ArrayList<>();
        for (LabJdk jdk : lab.quick() ? jdks.subList(jdks.size() - 1, jdks.size()) : jdks) {
            lab.progress().accept(jdk.jdk().label());
            runs.add(parse(jdk.jdk().label(),
                    Programs.run(jdk.command(lab, false, Jdk.nativeAccess(jdk.jdk().feature()),
                            VirtualLoads.class, millis(lab), rounds(lab)), LIMIT).stdout()));
        }
        for (Run run : runs) {
            for (Sum sum : run.sums) {
                found.figure(run.jdk + ", " + sum.what, "share of the carriers' CPU time", "%",
                        100 * sum.median(), 100 * Numbers.spread(sum.shares()), "");
                found.figure(run.jdk + ", " + sum.what, "the carriers had a CPU", "%", 100 * sum.running());
            }
            run.mounted.forEach((beside, ratios) -> found.figure(run.jdk + ", " + beside,
                    "mounted time, more than CPU time", "%", 100 * (Numbers.median(ratios) - 1),
                    100 * Numbers.spread(ratios), ""));
        }
        return found.outcome(judge(runs), finding(runs));
    }

    static Run parse(String jdk, List<String> lines) throws IOException {
        if (!lines.contains("done")) {
            throw new IOException(jdk + " ended without its results: " + String.join(" / ", lines));
        }
        Map<String, Sum> sums = new LinkedHashMap<>();
        Map<String, List<Double>> mounted = new LinkedHashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words[0].equals("sum")) {
                double least = words[1].equals(TICK) ? 0 : least(Integer.parseInt(words[2]));
                sums.computeIfAbsent(words[1] + ", slices of " + words[2] + " us",
                        what -> new Sum(what, least, new ArrayList<>())).rounds
                        .add(new Round(number(words[3]), number(words[4]), number(words[5])));
            } else if (words[0].equals("mounted")) {
                mounted.computeIfAbsent(
                        "beside " + words[1] + (words[1].equals("1") ? " burner" : " burners"),
                        any -> new ArrayList<>()).add(number(words[3]) / number(words[2]));
            }
        }
        return new Run(jdk, List.copyOf(sums.values()), mounted);
    }

    private static double number(String word) {
        return Double.parseDouble(word);
    }

    private static double least(int micros) {
        return micros >= LONG_SLICE_MICROS ? LEAST_OF_LONG
                : micros >= SHORT_SLICE_MICROS ? LEAST_OF_SHORT : 0;
    }

    /** A sum above the carriers' time is never noise. One that is too small in only some rounds may be. */
    static Verdict judge(List<Run> runs) {
        List<Sum> judged = runs.stream().flatMap(run -> run.sums.stream()).filter(Sum::judged).toList();
        if (judged.stream().anyMatch(Sum::tooMuch) || !judged.stream().allMatch(Sum::possible)) {
            return Verdict.NOT_CONFIRMED;
        }
        return judged.stream().allMatch(Sum::reached) ? Verdict.CONFIRMED : Verdict.TOO_NOISY;
    }

    static String finding(List<Run> runs) {
        List<Sum> judged = runs.stream().flatMap(run -> run.sums.stream()).filter(Sum::judged).toList();
        List<String> wrong = new ArrayList<>();
        for (Run run : runs) {
            run.sums.stream().filter(sum -> sum.judged() && (sum.tooMuch() || !sum.reached()))
                    .forEach(sum -> wrong.add(run.jdk + ", " + sum.what + ", " + percent(sum.median())));
        }
        return "The sum over virtual threads is " + range(judged, LEAST_OF_LONG)
                + " of their carriers' CPU time at slices of 1 ms and longer, "
                + range(judged, LEAST_OF_SHORT)
                + " at 100 µs. Mounted time is up to " + percent(runs.stream()
                        .flatMap(run -> run.mounted.values().stream()).mapToDouble(Numbers::median).max()
                        .orElse(1) - 1)
                + " more than CPU time." + (wrong.isEmpty() ? ""
                        : " Not as claimed: " + String.join("; ", wrong) + ".");
    }

    private static String range(List<Sum> judged, double least) {
        double[] shares = judged.stream().filter(sum -> sum.least == least).mapToDouble(Sum::median).sorted()
                .toArray();
        return shares.length == 0 ? "not known"
                : percent(shares[0]) + " to " + percent(shares[shares.length - 1]);
    }

    private static String percent(double share) {
        return Figures.number(100 * share) + " %";
    }
}
