// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program to attach to: measures repeatedly what a read of its own user time costs. Runs until it is
 * killed, but no longer than five minutes. Prints lines {@code nanos=COST}, the lowest of some batches.
 */
public final class AttachTarget {
    private static final long LONGEST_NANOS = 300_000_000_000L;
    private static final int BATCHES = 20;
    private static final int READS = 200;
    /** Without this limit, a JVM that reads /proc would take more CPU time than the commands. */
    private static final long LONG_ROUND_NANOS = 4_000_000;

    public static void main(String[] args) throws Exception {
        long began = System.nanoTime();
        while (System.nanoTime() - began < LONGEST_NANOS) {
            System.out.println("nanos=" + cost());
            Thread.sleep(20);
        }
    }

    private static long cost() {
        long least = Long.MAX_VALUE;
        long begin = System.nanoTime();
        for (int i = 0; i < BATCHES && System.nanoTime() - begin < LONG_ROUND_NANOS; i++) {
            long began = System.nanoTime();
            long sum = 0;
            for (int j = 0; j < READS; j++) {
                sum += Burn.THREADS.getCurrentThreadUserTime();
            }
            least = Math.min(least, System.nanoTime() - began);
            Burn.sink += sum;
        }
        return least / READS;
    }
}
