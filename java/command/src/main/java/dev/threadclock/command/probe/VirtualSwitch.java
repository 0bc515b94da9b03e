// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import dev.threadclock.VirtualThreads;
import java.util.Arrays;

/**
 * What a switch between two virtual threads (one is unmounted, the other mounted) costs their carrier,
 * without accounting and with it. Start it with one carrier (-Djdk.virtualThreadScheduler.parallelism=1 and
 * maxPoolSize=1). Prints "switch" and the median nanoseconds of CPU time, without and with; then "done".
 */
public final class VirtualSwitch {
    private static final int ROUNDS = 7;
    private static final int WARM_UP_ROUNDS = 4;
    private static final int THREADS = 2;
    private static final int YIELDS = 20_000;

    private VirtualSwitch() {}

    public static void main(String[] args) throws InterruptedException {
        double without = median();
        VirtualThreads.startAccounting();
        double with = median();
        VirtualThreads.stopAccounting();
        Measure.say("switch " + without + " " + with);
        Measure.say("done");
    }

    private static double median() throws InterruptedException {
        double[] nanos = new double[ROUNDS];
        for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
            long before = VirtualLoads.carriersTotal();
            VirtualLoads.run(THREADS, () -> {
                for (int i = 0; i < YIELDS; i++) {
                    Thread.yield();
                }
            });
            nanos[Math.max(round, 0)] = (double) (VirtualLoads.carriersTotal() - before) / (THREADS * YIELDS);
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2];
    }
}
