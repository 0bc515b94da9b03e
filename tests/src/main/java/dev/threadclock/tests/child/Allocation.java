// SPDX-License-Identifier: Apache-2.0
// A child's program: how many bytes of Java heap a million reads allocate.
package dev.threadclock.tests.child;

/**
 * Argument: read, or "allocate" to show that the count counts. Prints {@code bytes=N}, the fewest of four times a million
 * rounds: while it compiles and loads, the JVM allocates some hundred bytes in the name of the thread.
 */
public final class Allocation {
    private static final int ROUNDS = 1_000_000;
    private static Object sink;

    private Allocation() {}

    public static void main(String[] args) {
        boolean allocate = args[0].equals("allocate");
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            long question = allocated();
            question = allocated() - question; // what asking costs
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

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) Burn.THREADS).getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
