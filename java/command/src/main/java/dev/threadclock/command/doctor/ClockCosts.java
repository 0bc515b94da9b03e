// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of one read of a clock on this machine. Batches of all clocks alternate, so that noise affects all
 * alike; the medians count.
 *
 * @param name the clock that is read
 * @param source where the value comes from on this machine; null for clocks that are not threadclock's
 * @param binding how Java calls the clock; null for clocks that are not threadclock's
 * @param systemCalls the number per read; null if unknown
 * @param resolutionNanos the smallest step; null if unknown
 * @param ageNanos the maximum age of a value; null if unknown
 * @param medianNanos the cost of one read from Java; null if the clock could not be read
 * @param perNanoTime the same as a multiple of System.nanoTime()
 */
record ClockCosts(String name, String source, String binding, Integer systemCalls, Long resolutionNanos,
        Long ageNanos,
        Double medianNanos, Double perNanoTime) {
    private static final int WARM_UP_ROUNDS = 300;
    private static final int WARM_UP_READS = 100;
    private static final int ROUNDS = 250;
    /** Long compared to the two nanoTime() calls around it, short compared to a timer tick. */
    private static final long BATCH_NANOS = 50_000;

    /** Keeps the compiler from eliminating the reads. */
    static volatile long sink;

    /** Takes about half a second. */
    static List<ClockCosts> measure() {
        Map<Clock, Integer> reads = new EnumMap<>(Clock.class);
        for (Map.Entry<Clock, double[]> entry : rounds(WARM_UP_ROUNDS, Map.of()).entrySet()) {
            double[] nanos = entry.getValue();
            double late = median(Arrays.copyOfRange(nanos, nanos.length / 2, nanos.length));
            reads.put(entry.getKey(), (int) Math.max(2, BATCH_NANOS / Math.max(1, late)));
        }
        Map<Clock, double[]> measured = rounds(ROUNDS, reads);
        double nanoTime = median(measured.get(Clock.NANO_TIME));
        List<ClockCosts> costs = new ArrayList<>();
        measured.forEach((clock, nanos) -> costs.add(of(clock, median(nanos), nanoTime)));
        return costs;
    }

    private static ClockCosts of(Clock clock, double median, double nanoTime) {
        Source source = clock.source().orElse(null);
        boolean readable = clock.read(1) >= 0;
        return new ClockCosts(clock.label, source == null ? null : source.name(),
                source == null ? null : source.binding(),
                source == null || source.systemCalls() < 0 ? null : Integer.valueOf(source.systemCalls()),
                source == null ? null : known(source.resolutionNanos()),
                source == null ? null : known(source.ageNanos()),
                readable ? round(median) : null, readable ? round(median / nanoTime) : null);
    }

    private static Map<Clock, double[]> rounds(int rounds, Map<Clock, Integer> reads) {
        Map<Clock, double[]> nanosPerRead = new EnumMap<>(Clock.class);
        for (int round = 0; round < rounds; round++) {
            for (Clock clock : Clock.values()) {
                int count = reads.getOrDefault(clock, WARM_UP_READS);
                long start = System.nanoTime();
                sink += clock.read(count);
                double nanos = (double) (System.nanoTime() - start) / count;
                nanosPerRead.computeIfAbsent(clock, any -> new double[rounds])[round] = nanos;
            }
        }
        return nanosPerRead;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static Long known(long nanos) {
        return nanos < 0 ? null : nanos;
    }

    private static double round(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
