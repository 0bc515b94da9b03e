// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: how many bytes of Java heap a million reads allocate. Argument: "read", or "allocate" to
 * show that the count works. Prints {@code bytes=N}, the smallest of up to four runs of a million rounds:
 * while it compiles and loads classes, the JVM allocates some hundred bytes on behalf of the thread.
 */
public final class Allocation {
    private static final int ROUNDS = 1_000_000;
    private static Object sink;

    public static void main(String[] args) {
        boolean allocate = args[0].equals("allocate");
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 4 && fewest > 0; i++) {
            long question = allocated();
            question = allocated() - question; // the cost of the query itself
            long before = allocated();
            rounds(allocate);
            fewest = Math.min(fewest, allocated() - before - question);
        }
        System.out.println("bytes=" + fewest);
    }

    private static void rounds(boolean allocate) {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += Burn.THREADS.getCurrentThreadUserTime();
            if (allocate) {
                sink = new Object();
            }
        }
        Burn.sink += sum;
    }

    static long allocated() {
        return ((com.sun.management.ThreadMXBean) Burn.THREADS)
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
