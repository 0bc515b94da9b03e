// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: reads its own user time a given number of times, for a test that watches its system calls.
 * Argument: how many reads. Prints {@code nanos=ELAPSED} for them. With a second argument, it requests arrays
 * that contain an invalid id instead, and prints {@code refused=N}.
 */
public final class Reads {
    public static void main(String[] args) {
        int reads = Integer.parseInt(args[0]);
        long sum = 0;
        long began = System.nanoTime();
        for (int i = 0; i < reads && args.length == 1; i++) {
            sum += Burn.THREADS.getCurrentThreadUserTime();
        }
        System.out.println(
                args.length == 1 ? "nanos=" + (System.nanoTime() - began) : "refused=" + refused(reads));
        Burn.sink += sum;
    }

    private static long refused(int arrays) {
        Threads.Worker worker = Threads.Worker.started("worker");
        long[] ids = {worker.id(), Threads.own(), worker.id(), 0};
        long refused = 0;
        for (int i = 0; i < arrays; i++) {
            try {
                Burn.sink += Burn.THREADS.getThreadUserTime(ids)[0];
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        worker.end();
        return refused;
    }
}
