// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import java.time.Duration;

/** How long each part of the demo measures: milliseconds of each child JVM's parts. */
record DemoPlan(int warmUpMillis, int costMillis, int latencyMillis, int rightnessMillis) {
    /** About 8 s a child. */
    public static final DemoPlan FULL = new DemoPlan(1_200, 1_800, 1_500, 1_500);
    /** About 3 s a child: figures that show the order of magnitude only. */
    public static final DemoPlan QUICK = new DemoPlan(300, 300, 300, 800);

    private static final int SLOWEST = 3;
    private static final int START_MILLIS = 20_000;

    /** The time limit of a child: several times its expected time, because the machine may be busy. */
    Duration limit() {
        return Duration.ofMillis(START_MILLIS
                + (long) SLOWEST * (warmUpMillis + costMillis + 2 * latencyMillis + 6 * rightnessMillis));
    }
}
