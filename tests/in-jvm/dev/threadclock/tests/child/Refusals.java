// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: requests arrays that contain an invalid id, for a test that watches its system calls.
 * Arguments: how many arrays, and the last id in each. Prints {@code refused=N}.
 */
public final class Refusals {
    public static void main(String[] args) {
        Threads.Worker worker = Threads.Worker.started("worker");
        long[] ids = {worker.id(), Threads.own(), worker.id(), Long.parseLong(args[1])};
        long refused = 0;
        for (int i = Integer.parseInt(args[0]); i > 0; i--) {
            try {
                Burn.sink += Burn.THREADS.getThreadUserTime(ids)[0];
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        worker.end();
        System.out.println("refused=" + refused);
    }
}
