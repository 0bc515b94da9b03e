// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.probe.DoctorTrial;
import dev.threadclock.command.probe.Slack;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tries a JDK in a child JVM: what its ThreadMXBean's user time costs, and whether it is right.
 *
 * @param reason why the verdict is unknown, or ""
 * @param userNanos one getCurrentThreadUserTime(), median; null if unknown
 * @param nanoTimeNanos one System.nanoTime() there
 * @param totalNanos one getCurrentThreadCpuTime() there
 * @param aroundTicks the result of a thread that works only around timer ticks
 * @param betweenTicks the result of a thread that works only between them
 * @param ownIdTellsTotal whether getThreadUserTime(own id) returns the total (JDK-8372704); null if unknown
 */
record JdkTrial(Judgement verdict, String reason, Double userNanos, Double nanoTimeNanos, Double totalNanos,
        TickRun aroundTicks, TickRun betweenTicks, Boolean ownIdTellsTotal) {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long WARM_UP_MILLIS = 200;
    private static final long COST_MILLIS = 150;
    private static final long RIGHTNESS_MILLIS = 400;
    private static final int ATTEMPTS = 3;
    private static final int MEDIAN_WORD = 3;

    /** The /proc path makes 10 to 20 system calls, the total makes one. */
    private static final double SLOW_IN_TOTALS = 5;

    /** Takes about two seconds; more if the machine is busy. */
    static JdkTrial of(Jdk jdk, Path jar) {
        JdkTrial trial = once(jdk, jar);
        for (int attempt = 1; attempt < ATTEMPTS && trial.verdict == Judgement.UNKNOWN
                && trial.userNanos != null; attempt++) {
            trial = once(jdk, jar);
        }
        return trial;
    }

    private static JdkTrial once(Jdk jdk, Path jar) {
        try {
            return run(jdk, jar, TickClock.learn());
        } catch (Failure | LinkageError e) {
            return unknown("the ticks cannot be found: " + e.getMessage());
        }
    }

    private static JdkTrial run(Jdk jdk, Path jar, TickClock ticks) {
        List<String> command = List.of(jdk.java().toString(), "-Xms64m", "-Xmx64m", "-cp", jar.toString(),
                DoctorTrial.class.getName(),
                "" + WARM_UP_MILLIS, "" + COST_MILLIS, "" + RIGHTNESS_MILLIS, "" + ticks.lengthNanos(),
                "" + ticks.phaseNanos());
        Map<String, String[]> lines = new HashMap<>();
        try {
            Children.Outcome outcome = Children.run(command, LIMIT, line -> put(lines, line));
            if (outcome.timedOut() || outcome.exit() != 0) {
                return unknown(
                        "the trial " + (outcome.timedOut() ? "did not end within " + LIMIT.toSeconds() + " s"
                                : "ended with exit status " + outcome.exit() + ": "
                                        + outcome.stderr().lines().findFirst().orElse("no output")));
            }
            return parse(Map.copyOf(lines));
        } catch (IOException e) {
            return unknown("it could not be started: " + e.getMessage());
        }
    }

    static JdkTrial unknown(String reason) {
        return new JdkTrial(Judgement.UNKNOWN, reason, null, null, null, null, null, null);
    }

    /** Indexed by the first two words, except "own" and "done", which are followed by numbers or nothing. */
    static void put(Map<String, String[]> lines, String line) {
        String[] words = line.split(" ");
        String key = words.length < 2 || words[0].equals("own") ? words[0] : words[0] + " " + words[1];
        synchronized (lines) {
            lines.put(key, words);
        }
    }

    static JdkTrial parse(Map<String, String[]> lines) {
        try {
            if (!lines.containsKey("done")) {
                return unknown("the trial ended without its results");
            }
            return judge(median(lines.get("cost user")), median(lines.get("cost nanoTime")),
                    median(lines.get("cost cpu")),
                    TickRun.parse(lines.get("right around"), 2),
                    TickRun.parse(lines.get("right between"), 2),
                    ownIdTellsTotal(lines.get("own")));
        } catch (NullPointerException | IndexOutOfBoundsException | NumberFormatException e) {
            return unknown("the trial printed something other than its results");
        }
    }

    /**
     * A clock that reports more than the total is wrong even on a busy machine. One that reports less is
     * wrong only if the machine was quiet.
     */
    private static JdkTrial judge(double user, double nanoTime, double total, TickRun around, TickRun between,
            Boolean ownIdTellsTotal) {
        Judgement verdict;
        String reason = "";
        if (user > SLOW_IN_TOTALS * total) {
            verdict = Judgement.SLOW;
        } else if (around.exceeds() || between.exceeds()) {
            verdict = Judgement.WRONG;
        } else if (around.disturbed() || between.disturbed()) {
            verdict = Judgement.UNKNOWN;
            reason = "the machine is too busy to tell; run this again when it is quiet";
        } else {
            verdict = around.right() && between.right() ? Judgement.RIGHT : Judgement.WRONG;
        }
        return new JdkTrial(verdict, reason, user, nanoTime, total, around, between, ownIdTellsTotal);
    }

    /** "a read 8,123 ns, 380 × nanoTime()", followed by what is wrong with it. */
    String cost() {
        String cost = "a read " + Figures.number(userNanos) + " ns, "
                + Figures.number(userNanos / nanoTimeNanos) + " × nanoTime()";
        return verdict != Judgement.WRONG ? cost
                : cost + "; work around ticks " + Figures.percent(aroundTicks.error())
                        + ", between them " + Figures.percent(betweenTicks.error());
    }

    /**
     * The thread worked in the kernel, so its user time is a small part of its total, unless the total is
     * returned in place of the user time.
     */
    private static Boolean ownIdTellsTotal(String[] own) {
        if (own == null) {
            return null;
        }
        long byId = Long.parseLong(own[1]);
        long user = Long.parseLong(own[2]);
        long total = Long.parseLong(own[3]);
        if (Math.abs(byId - user) <= Slack.RESOLUTION_NANOS) {
            return total - user > 2 * Slack.RESOLUTION_NANOS ? Boolean.FALSE : null;
        }
        return Math.abs(total - byId) <= Slack.RESOLUTION_NANOS ? Boolean.TRUE : null;
    }

    private static double median(String[] cost) {
        return Double.parseDouble(cost[MEDIAN_WORD]);
    }
}
