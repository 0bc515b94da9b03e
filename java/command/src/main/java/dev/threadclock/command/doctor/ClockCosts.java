// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.Source;
import dev.threadclock.ThreadClock;
import dev.threadclock.command.probe.ReadCost;
import dev.threadclock.command.probe.ReadCost.Loop;
import dev.threadclock.internal.Native;
import java.io.IOException;
import java.io.RandomAccessFile;
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
    /** The clocks whose cost is measured. */
    private enum Clock {
        NANO_TIME("System.nanoTime()", null, null),
        SYSTEM_CALL("a bare system call (clock_getres)", null, null),
        USER_TICK("user, tick", Quantity.USER, Freshness.TICK),
        SYSTEM_TICK("system, tick", Quantity.SYSTEM, Freshness.TICK),
        TOTAL_TICK("total, tick", Quantity.TOTAL, Freshness.TICK),
        USER_NOW("user, now", Quantity.USER, Freshness.NOW),
        SYSTEM_NOW("system, now", Quantity.SYSTEM, Freshness.NOW),
        TOTAL_NOW("total, now", Quantity.TOTAL, Freshness.NOW),
        TOTAL_INTERPOLATED("total, interpolated", Quantity.TOTAL, Freshness.INTERPOLATED),
        /** As in ThreadMXBean on JDK 8 to 25.0.4, but without the parsing. */
        PROC("/proc/thread-self/stat", null, null);

        private static final int LINE_BYTES = 4096;

        private final String label;
        private final Quantity quantity;
        private final Freshness freshness;

        Clock(String label, Quantity quantity, Freshness freshness) {
            this.label = label;
            this.quantity = quantity;
            this.freshness = freshness;
        }

        /**
         * Reads the clock this often, each in its own loop, so that each call site is monomorphic. The sum
         * means nothing, but is negative if the clock cannot be read.
         */
        private long read(int reads) {
            long sum = 0;
            switch (this) {
                case NANO_TIME -> {
                    for (int i = 0; i < reads; i++) {
                        sum += System.nanoTime();
                    }
                }
                case SYSTEM_CALL -> {
                    for (int i = 0; i < reads; i++) {
                        sum += Native.tickLengthNanos();
                    }
                }
                case USER_TICK -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.userNanos();
                    }
                }
                case SYSTEM_TICK -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.systemNanos();
                    }
                }
                case TOTAL_TICK -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.totalNanos();
                    }
                }
                case USER_NOW -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.userNowNanos();
                    }
                }
                case SYSTEM_NOW -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.systemNowNanos();
                    }
                }
                case TOTAL_NOW -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.totalNowNanos();
                    }
                }
                case TOTAL_INTERPOLATED -> {
                    for (int i = 0; i < reads; i++) {
                        sum += ThreadClock.totalInterpolatedNanos();
                    }
                }
                case PROC -> {
                    byte[] line = new byte[LINE_BYTES];
                    for (int i = 0; i < reads; i++) {
                        try (RandomAccessFile file = new RandomAccessFile("/proc/thread-self/stat", "r")) {
                            sum += file.read(line);
                        } catch (IOException e) {
                            return -1;
                        }
                    }
                }
            }
            return sum;
        }
    }

    private static final long WARM_UP_NANOS = 300_000_000;
    private static final long MEASURE_NANOS = 400_000_000;

    /** Takes less than a second. */
    static List<ClockCosts> measure() {
        Map<Clock, Loop> loops = new EnumMap<>(Clock.class);
        for (Clock clock : Clock.values()) {
            loops.put(clock, new Loop(clock.label, clock::read));
        }
        new ReadCost(loops.values().toArray(Loop[]::new)).run(WARM_UP_NANOS, MEASURE_NANOS);
        double nanoTime = loops.get(Clock.NANO_TIME).medianNanos();
        return loops.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue().medianNanos(), nanoTime)).toList();
    }

    private static ClockCosts of(Clock clock, double median, double nanoTime) {
        Source source = clock.quantity == null ? null : ThreadClock.source(clock.quantity, clock.freshness);
        boolean readable = clock.read(1) >= 0;
        return new ClockCosts(clock.label, source == null ? null : source.name(),
                source == null ? null : source.binding(),
                source == null || source.systemCalls() < 0 ? null : Integer.valueOf(source.systemCalls()),
                source == null ? null : known(source.resolutionNanos()),
                source == null ? null : known(source.ageNanos()),
                readable ? ReadCost.rounded(median) : null,
                readable ? ReadCost.rounded(median / nanoTime) : null);
    }

    private static Long known(long nanos) {
        return nanos < 0 ? null : nanos;
    }
}
