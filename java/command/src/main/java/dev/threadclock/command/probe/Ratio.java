// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * The cost of user time relative to total, alone and with concurrent readers: short batches of the two
 * alternate. Arguments: threads, milliseconds of warm-up, milliseconds. Prints "ratio" and the median
 * nanoseconds of user and total.
 */
public final class Ratio {
    private static final int USER_READS = 10;
    private static final int TOTAL_READS = 100;
    private static final int MAX_BATCHES = 100_000;

    private static volatile long sink;

    private final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    private final double[] user = new double[MAX_BATCHES];
    private final double[] total = new double[MAX_BATCHES];
    private int batches;

    private Ratio() {}

    public static void main(String[] args) throws InterruptedException {
        Ratio[] all = new Ratio[Integer.parseInt(args[0])];
        Thread[] threads = new Thread[all.length];
        for (int i = 0; i < all.length; i++) {
            Ratio ratio = all[i] = new Ratio();
            threads[i] = new Thread(() -> {
                ratio.run(Long.parseLong(args[1]));
                ratio.run(Long.parseLong(args[2]));
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double[] medians = new double[all.length];
        double[] totals = new double[all.length];
        for (int i = 0; i < all.length; i++) {
            medians[i] = median(all[i].user, all[i].batches);
            totals[i] = median(all[i].total, all[i].batches);
        }
        System.out.println("ratio " + median(medians, all.length) + " " + median(totals, all.length));
    }

    private void run(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        for (batches = 0; batches < MAX_BATCHES && (batches == 0 || System.nanoTime() - end < 0); batches++) {
            long sum = 0;
            long start = System.nanoTime();
            for (int i = 0; i < USER_READS; i++) {
                sum += bean.getCurrentThreadUserTime();
            }
            long middle = System.nanoTime();
            for (int i = 0; i < TOTAL_READS; i++) {
                sum += bean.getCurrentThreadCpuTime();
            }
            total[batches] = (double) (System.nanoTime() - middle) / TOTAL_READS;
            user[batches] = (double) (middle - start) / USER_READS;
            sink += sum;
        }
    }

    private static double median(double[] values, int count) {
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted[count / 2];
    }
}
