// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import dev.threadclock.ThreadTimes;
import dev.threadclock.VirtualThreads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a switch between two virtual threads (one is unmounted, the other mounted) costs their carrier,
 * without accounting and with it. Start it with one carrier (-Djdk.virtualThreadScheduler.parallelism=1 and
 * maxPoolSize=1). Prints "switch" and the median nanoseconds of CPU time, without and with; then "done".
 * Before accounting this JVM has no JVMTI environment, so a switch is as cheap as without any agent.
 */
public final class VirtualSwitch {
    /** Warm-up ends when this number of results in a row differ by a tenth at most. */
    private static final int FLAT = 5;
    /** On a busy machine they may always differ by more. Two of these are less than VirtualTrial's limit. */
    private static final long LONGEST_NANOS = 8_000_000_000L;
    private static final int THREADS = 2;
    private static final int YIELDS = 100_000;

    private VirtualSwitch() {}

    public static void main(String[] args) throws InterruptedException {
        double without = median();
        VirtualThreads.Accounting accounting = VirtualThreads.startAccounting();
        double with = median();
        accounting.close();
        Measure.say("switch " + without + " " + with);
        Measure.say("done");
    }

    private static double median() throws InterruptedException {
        double[] last = new double[FLAT];
        double[] sorted = last;
        long began = System.nanoTime();
        for (int round = 0; round < FLAT || sorted[FLAT - 1] > sorted[0] * 1.1
                && System.nanoTime() - began < LONGEST_NANOS; round++) {
            long before = carriersNanos();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(start(VirtualSwitch::yieldOften));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            last[round % FLAT] = (double) (carriersNanos() - before) / (THREADS * YIELDS);
            sorted = last.clone();
            Arrays.sort(sorted);
        }
        return sorted[FLAT / 2];
    }

    /** The CPU time of the JVM's own carriers so far. */
    public static long carriersNanos() {
        ThreadTimes times = new ThreadTimes();
        times.read();
        long sum = 0;
        for (int i = 0; i < times.size(); i++) {
            sum += times.name(i).startsWith("ForkJoinPool-1-worker") ? times.totalNanos(i) : 0;
        }
        return sum;
    }

    private static void yieldOften() {
        for (int i = 0; i < YIELDS; i++) {
            Thread.yield();
        }
    }

    /** Thread.startVirtualThread, which the Java version of this class does not have. */
    private static Thread start(Runnable body) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads need JDK 21 or later", e);
        }
    }
}
