// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program to attach to: reads its own user time repeatedly. Runs until it is killed, but no longer
 * than ten minutes. Prints lines {@code running}.
 */
public final class AttachTarget {
    private static final long LONGEST_NANOS = 600_000_000_000L;
    private static final int READS = 200;

    public static void main(String[] args) throws Exception {
        long began = System.nanoTime();
        while (System.nanoTime() - began < LONGEST_NANOS) {
            for (int i = 0; i < READS; i++) {
                Burn.sink += Burn.THREADS.getCurrentThreadUserTime();
            }
            System.out.println("running");
            Thread.sleep(20);
        }
    }
}
