// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling;
import dev.threadclock.command.sample.Sampling.Frames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where threads use the CPU: looks at each of them again and again, takes its top frames if it is runnable,
 * and keeps those during which it ran. A single look at the end would mostly show where a thread sleeps.
 */
final class Looks {
    private static final int MOST_FRAMES = 10;
    private static final int MOST_STACKS = 40; // of each thread; each stops it, and may take 2 ms
    private static final int LOOKS = 400;
    private static final long SHORTEST_PAUSE_MILLIS = 5;
    /** The top frame of a carrier while a virtual thread runs on it. */
    private static final String MOUNTED = "jdk.internal.vm.Continuation.run(";
    /** Where a thread that wakes up waits for a CPU. Shown only if hardly anything else was found. */
    private static final Pattern WAITS = Pattern
            .compile("java\\.lang\\.(Thread\\.sleep|Object\\.wait)|[a-z.]+\\.misc\\.Unsafe\\.park\\("
                    + "|sun\\.nio\\.ch\\.EPoll\\.wait\\(");
    private static final int SELDOM = 10; // times less often than all that was found
    private static final double PART_OF_INTERVAL = 0.95; // the rest is for the last look

    private final Sampling sampling;
    private final Map<Long, Found> found = new HashMap<>(); // by serial

    /** What was found of a thread. */
    private static final class Found {
        private int looks;
        private int runnable;
        private int taken;
        private int kept;
        private final Map<List<String>, Integer> stacks = new LinkedHashMap<>();
    }

    Looks(Sampling sampling) {
        this.sampling = sampling;
    }

    /** Looks at these threads until the interval is nearly over; native threads have no frames. */
    void at(List<Use> threads, Duration interval) throws IOException {
        long end = System.nanoTime() + (long) (PART_OF_INTERVAL * interval.toNanos());
        long pauseMillis = Math.max(SHORTEST_PAUSE_MILLIS, interval.toMillis() / LOOKS);
        do {
            for (Use thread : threads) {
                if (thread.javaId() != 0) {
                    look(thread, found.computeIfAbsent(thread.serial(), serial -> new Found()));
                }
            }
        } while (pause(pauseMillis) && System.nanoTime() < end);
    }

    private void look(Use thread, Found found) throws IOException {
        found.looks++;
        if (!sampling.isRunnable(thread.tid())) {
            return;
        }
        found.runnable++;
        if (found.taken < MOST_STACKS) {
            found.taken++;
            Frames frames = sampling.awaitStack(thread.javaId(), MOST_FRAMES);
            if (frames.ran() && !frames.lines().isEmpty()) {
                found.kept++;
                found.stacks.merge(frames.lines(), 1, Integer::sum);
            }
        }
    }

    private static boolean pause(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * The frames that were found most often, those of a wait last, below a line that says how often;
     * otherwise where the thread is now. Empty for threads without frames.
     */
    List<String> lines(Use thread) throws IOException {
        if (thread.javaId() == 0 || thread.state() == Use.ENDED) {
            return List.of();
        }
        Found of = found.getOrDefault(thread.serial(), new Found());
        Map.Entry<List<String>, Integer> most = of.stacks.entrySet().stream()
                .max(Comparator.<Map.Entry<List<String>, Integer>, Boolean>comparing(
                        stack -> stack.getValue() * SELDOM >= of.kept
                                && !WAITS.matcher(stack.getKey().get(0)).lookingAt())
                        .thenComparing(Map.Entry.comparingByValue()))
                .orElse(null);
        List<String> frames = most != null ? most.getKey()
                : sampling.awaitStack(thread.javaId(), MOST_FRAMES).lines();
        if (frames.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("    runnable in " + of.runnable + " of " + of.looks + " looks; " + (most != null
                ? "here in " + most.getValue() + " of " + of.kept + " stacks while it ran:"
                : "no stack while it ran; now, in state " + thread.state() + ":"));
        frames.forEach(frame -> lines.add("    at " + frame));
        if (frames.get(0).startsWith(MOUNTED)) {
            lines.add("    it carries virtual threads; 'threadclock attach " + sampling.pid()
                    + " virtual=on' makes top show them, and their frames");
        }
        return lines;
    }
}
