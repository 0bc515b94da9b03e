// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: reads its own user time a given number of times, for a test that watches its system calls.
 * Argument: how many reads. Prints {@code nanos=ELAPSED} for them.
 */
public final class Reads {
    public static void main(String[] args) {
        int reads = Integer.parseInt(args[0]);
        long sum = 0;
        long began = System.nanoTime();
        for (int i = 0; i < reads; i++) {
            sum += Burn.THREADS.getCurrentThreadUserTime();
        }
        long nanos = System.nanoTime() - began;
        Burn.sink += sum;
        System.out.println("nanos=" + nanos);
    }
}
