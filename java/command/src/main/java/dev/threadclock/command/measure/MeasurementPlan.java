// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import java.time.Duration;

/** How long each part of a measurement takes, in milliseconds; without latencies if that is 0. */
public record MeasurementPlan(int warmUpMillis, int costMillis, int latencyMillis, int rightnessMillis) {
    /** About 8 s for each JVM. */
    public static final MeasurementPlan FULL = new MeasurementPlan(1_200, 1_800, 1_500, 1_500);
    /** About 3 s for each JVM: figures that show the order of magnitude only. */
    public static final MeasurementPlan QUICK = new MeasurementPlan(300, 300, 300, 800);
    /** About 2 s for each JVM: what a verdict needs. */
    public static final MeasurementPlan VERDICT = new MeasurementPlan(200, 150, 0, 400);

    private static final int SLOWEST = 3;
    private static final int START_MILLIS = 20_000;

    /** The time limit of a JVM: several times its expected time, because the machine may be busy. */
    Duration limit() {
        return Duration.ofMillis(START_MILLIS
                + (long) SLOWEST * (warmUpMillis + costMillis + 2 * latencyMillis + 6 * rightnessMillis));
    }
}
