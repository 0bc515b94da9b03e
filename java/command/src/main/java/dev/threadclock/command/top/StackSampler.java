// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where threads use the CPU: looks at each of them again and again, and takes its top frames if it is
 * runnable. A single look at the end would mostly show where a thread sleeps.
 */
final class StackSampler {
    private static final int MOST_STACKS = 40; // of each thread; each stops it, and may take 2 ms
    private static final int LOOKS = 400;
    private static final long SHORTEST_PAUSE_MILLIS = 5;
    private static final double PART_OF_INTERVAL = 0.95; // the rest is for the last look

    private final Sampling sampling;
    private final Map<Long, Found> found = new HashMap<>(); // by serial

    /** What was found of a thread. */
    private static final class Found {
        private int looks;
        private int runnable;
        private int taken;
        private final Stacks stacks = new Stacks();
    }

    StackSampler(Sampling sampling) {
        this.sampling = sampling;
    }

    /** Looks at these threads until the interval is nearly over; native threads have no frames. */
    void sample(List<Use> threads, Duration interval) throws IOException {
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
            found.stacks.add(sampling.awaitStack(thread.javaId(), Stacks.MOST_FRAMES));
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
     * The methods in which the thread ran, below a line that says how often it was seen; otherwise where it
     * is now. Empty for threads without frames.
     */
    List<String> lines(Use thread) throws IOException {
        if (thread.javaId() == 0 || thread.state() == Use.ENDED) {
            return List.of();
        }
        Found of = found.getOrDefault(thread.serial(), new Found());
        String seen = "    runnable in " + of.runnable + " of " + of.looks + " samples; ";
        List<String> lines = new ArrayList<>();
        if (of.stacks.size() > 0) {
            lines.add(seen + of.stacks.size() + " stacks while it ran; self %, total %:");
            of.stacks.methods().forEach(method -> lines.add("    " + method));
        } else {
            List<String> frames = sampling.awaitStack(thread.javaId(), Stacks.MOST_FRAMES).lines();
            if (frames.isEmpty()) {
                return List.of();
            }
            lines.add(seen + "no stack while it ran; now, in state " + thread.state() + ":");
            frames.stream().limit(Screen.MOST_FRAMES).forEach(frame -> lines.add("    at " + frame));
        }
        if (of.stacks.carryVirtualThreads()) {
            lines.add("    it carries virtual threads; 'threadclock attach " + sampling.pid()
                    + " virtual=on' makes top show them, and their frames");
        }
        return lines;
    }
}
