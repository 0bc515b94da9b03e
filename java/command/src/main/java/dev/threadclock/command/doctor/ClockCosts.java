// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Source;
import dev.threadclock.command.probe.ReadCost;
import dev.threadclock.command.probe.ReadCost.Subject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of one read of a clock on this machine: the median of its batches.
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
    private static final long WARM_UP_NANOS = 300_000_000;
    private static final long MEASURE_NANOS = 400_000_000;

    /** Takes less than a second. */
    static List<ClockCosts> measure() {
        Map<Clock, Subject> subjects = new EnumMap<>(Clock.class);
        for (Clock clock : Clock.values()) {
            subjects.put(clock, new Subject(clock.label, clock::read));
        }
        new ReadCost(subjects.values().toArray(Subject[]::new)).run(WARM_UP_NANOS, MEASURE_NANOS);
        double nanoTime = subjects.get(Clock.NANO_TIME).medianNanos();
        return subjects.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue().medianNanos(), nanoTime)).toList();
    }

    private static ClockCosts of(Clock clock, double median, double nanoTime) {
        Source source = clock.source().orElse(null);
        boolean readable = clock.read(1) >= 0;
        return new ClockCosts(clock.label, source == null ? null : source.name(),
                source == null ? null : source.binding(),
                source == null || source.systemCalls() < 0 ? null : Integer.valueOf(source.systemCalls()),
                source == null ? null : known(source.resolutionNanos()),
                source == null ? null : known(source.ageNanos()),
                readable ? ReadCost.rounded(median) : null, readable ? ReadCost.rounded(median / nanoTime) : null);
    }

    private static Long known(long nanos) {
        return nanos < 0 ? null : nanos;
    }
}
