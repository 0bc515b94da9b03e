// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import dev.threadclock.command.measure.Measurement.Cost;
import dev.threadclock.command.probe.TickRun;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Parses what a measured JVM prints, line by line. One thread feeds it; another queries it after the first
 * has finished.
 */
final class MeasurementOutput implements Consumer<String> {
    private final Map<String, Cost> costs = new HashMap<>();
    private final Map<String, Latency> latencies = new HashMap<>();
    private final Map<String, TickRun> runs = new HashMap<>();
    private final Consumer<String> onStep;
    private Boolean ownIdTellsTotal;
    private boolean done;
    private String unreadable;

    /** onStep: receives each step that the child begins to measure: cost, latency, around, between. */
    MeasurementOutput(Consumer<String> onStep) {
        this.onStep = onStep;
    }

    @Override
    public synchronized void accept(String line) {
        String[] words = line.split(" ");
        try {
            switch (words[0]) {
                case "step" -> onStep.accept(words[1]);
                case "cost" -> costs.put(words[1], cost(words));
                case "latency" -> latencies.put(words[1], Latency.decode(words[2]));
                case "right" -> runs.put(words[1], TickRun.parse(words, 2));
                case "own" -> ownIdTellsTotal = ownIdTellsTotal(words);
                case "done" -> done = true;
                default -> unreadable = line;
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            unreadable = line;
        }
    }

    /** All results have arrived. */
    synchronized boolean complete() {
        return done && unreadable == null && costs.size() == 3 && latencies.size() % 2 == 0
                && runs.size() == 2;
    }

    /** The first line that the child itself did not print, or null. */
    synchronized String unreadable() {
        return unreadable;
    }

    synchronized Measurement measurement() {
        return new Measurement(costs.get("user"), costs.get("nanoTime"), costs.get("cpu"),
                latencies.get("user"), latencies.get("empty"), runs.get("around"), runs.get("between"),
                ownIdTellsTotal);
    }

    private static Cost cost(String[] words) {
        return new Cost(Double.parseDouble(words[2]), Double.parseDouble(words[3]),
                Double.parseDouble(words[4]),
                Double.parseDouble(words[5]), Integer.parseInt(words[6]), Integer.parseInt(words[7]));
    }

    /**
     * The thread worked in the kernel, so its user time is a small part of its total, unless the total is
     * returned in place of the user time.
     */
    private static Boolean ownIdTellsTotal(String[] own) {
        long byId = Long.parseLong(own[1]);
        long user = Long.parseLong(own[2]);
        long total = Long.parseLong(own[3]);
        if (Math.abs(byId - user) <= TickRun.RESOLUTION_NANOS) {
            return total - user > 2 * TickRun.RESOLUTION_NANOS ? Boolean.FALSE : null;
        }
        return Math.abs(total - byId) <= TickRun.RESOLUTION_NANOS ? Boolean.TRUE : null;
    }
}
