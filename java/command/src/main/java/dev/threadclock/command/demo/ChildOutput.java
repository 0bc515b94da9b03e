// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import dev.threadclock.lab.model.Latencies;
import dev.threadclock.command.probe.TickRun;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Parses what a measured child prints, line by line. One thread feeds it; another queries it after the first
 * has finished.
 */
final class ChildOutput implements Consumer<String> {
    private final Map<String, Cost> costs = new HashMap<>();
    private final Map<String, Latency> latencies = new HashMap<>();
    private final Map<String, TickRun> runs = new HashMap<>();
    private final Consumer<String> onStep;
    private boolean done;
    private String unreadable;

    /** onStep: receives each step that the child begins to measure: cost, latency, around, between. */
    ChildOutput(Consumer<String> onStep) {
        this.onStep = onStep;
    }

    @Override
    public synchronized void accept(String line) {
        String[] words = line.split(" ");
        try {
            switch (words[0]) {
                case "step" -> onStep.accept(words[1]);
                case "cost" -> costs.put(words[1], cost(words));
                case "latency" -> latencies.put(words[1], Latency.of(Latencies.decode(words[2])));
                case "right" -> runs.put(words[1], TickRun.parse(words, 2));
                case "done" -> done = true;
                default -> unreadable = line;
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            unreadable = line;
        }
    }

    /** All results have arrived. */
    synchronized boolean complete() {
        return done && unreadable == null && costs.size() == 3 && latencies.size() == 2 && runs.size() == 2;
    }

    /** The first line that the child itself did not print, or null. */
    synchronized String unreadable() {
        return unreadable;
    }

    synchronized Measured measured() {
        return new Measured(costs.get("user"), costs.get("nanoTime"), costs.get("cpu"),
                latencies.get("user"), latencies.get("empty"), runs.get("around"), runs.get("between"));
    }

    private static Cost cost(String[] words) {
        return new Cost(Double.parseDouble(words[2]), Double.parseDouble(words[3]),
                Double.parseDouble(words[4]),
                Double.parseDouble(words[5]), Integer.parseInt(words[6]), Integer.parseInt(words[7]));
    }
}
