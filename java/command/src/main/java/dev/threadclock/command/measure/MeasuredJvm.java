// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.command.probe.Measure;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.SelfJar;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** A JVM that is measured with or without the agent. */
public record MeasuredJvm(Plan plan, TickClock ticks) {
    private static final int SHOWN_LINES = 12;
    private static final String STEP = "step ";

    /** How long each part of a measurement takes, in milliseconds; without latencies if that is 0. */
    public record Plan(int warmUpMillis, int costMillis, int latencyMillis, int rightnessMillis) {
        /** About 8 s for each JVM. */
        public static final Plan FULL = new Plan(1_200, 1_800, 1_500, 1_500);
        /** About 3 s for each JVM: figures that show the order of magnitude only. */
        public static final Plan QUICK = new Plan(300, 300, 300, 800);
        /** About 2 s for each JVM: what a verdict needs. */
        public static final Plan VERDICT = new Plan(200, 150, 0, 400);

        private static final int SLOWEST = 10;
        private static final int START_MILLIS = 60_000;

        /** The time limit of a JVM: ten times its expected time: the machine may be busy, or emulated. */
        private Duration limit() {
            return Duration.ofMillis(START_MILLIS
                    + (long) SLOWEST * (warmUpMillis + costMillis + 2 * latencyMillis + 6 * rightnessMillis));
        }
    }

    /**
     * Fails with the reason why there are no results.
     *
     * @param onStep receives in words each step that the JVM begins to measure
     */
    public Measurement run(Jdk jdk, boolean withThreadclock, Consumer<String> onStep) {
        AtomicReference<String> last = new AtomicReference<>("");
        Children.Outcome outcome;
        try {
            outcome = Children.run(command(jdk, withThreadclock), plan.limit(), line -> {
                if (line.startsWith(STEP)) {
                    onStep.accept(line.substring(STEP.length()));
                } else {
                    last.set(line);
                }
            });
        } catch (IOException e) {
            throw new Failure("could not be started: " + e.getMessage());
        }
        if (outcome.timedOut()) {
            throw new Failure(
                    "hung, and was killed after " + plan.limit().toSeconds() + " s" + said(outcome));
        }
        if (outcome.exit() != 0) {
            throw new Failure("ended with exit status " + outcome.exit() + said(outcome));
        }
        Measurement measured = Measurement.parse(last.get())
                .orElseThrow(() -> new Failure("ended without its results"
                        + (last.get().isEmpty() ? "" : ", and printed: " + Printable.line(last.get(), 200))
                        + said(outcome)));
        if (withThreadclock) {
            // The agent never stops a JVM: if it did not start, it says why on stderr.
            String refusal = outcome.stderr().lines().filter(line -> line.startsWith("threadclock: "))
                    .findFirst().orElse(null);
            if (refusal != null) {
                throw new Failure("ran without threadclock: " + refusal.substring("threadclock: ".length()));
            }
        }
        return measured;
    }

    private List<String> command(Jdk jdk, boolean withThreadclock) {
        // A small fixed heap: the measured loops leave nothing to collect.
        List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-Xms64m", "-Xmx64m"));
        if (withThreadclock) {
            command.add("-agentpath:" + SelfJar.library().orElseThrow(() -> new Failure(
                    "libthreadclock.so is not beside " + SelfJar.path()
                            + "; run the jar where it is in dist/, the archive or the package")));
        }
        command.addAll(List.of("-cp", SelfJar.path().toString(), Measure.class.getName()));
        LongStream.of(plan.warmUpMillis(), plan.costMillis(), plan.latencyMillis(), plan.rightnessMillis(),
                ticks.lengthNanos(), ticks.phaseNanos()).mapToObj(Long::toString).forEach(command::add);
        return command;
    }

    private static String said(Children.Outcome outcome) {
        List<String> lines = outcome.stderr().lines().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty()) {
            return "";
        }
        return "; it said:\n  " + String.join("\n  ", lines.subList(0, Math.min(SHOWN_LINES, lines.size())));
    }
}
