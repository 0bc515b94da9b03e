// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

/**
 * A child program: prints what ThreadMXBean reports for a thread that works in user mode. Prints before= and
 * after=, its total time around the reads, and user=, by_id=, by_array= and other= (of a thread that waits,
 * and its other_total=) in nanoseconds, and their values in a second reading. Exits with 3. Argument: for how
 * many milliseconds each works before a reading, by default 100.
 */
public final class Told {
    /** For a wall-clock time, because the thread's clock may be refused. */
    private static void burn(String... millis) {
        Burn.until(System.nanoTime() + (millis.length == 0 ? 100 : Long.parseLong(millis[0])) * 1_000_000);
    }

    public static void main(String[] args) throws Exception {
        Thread other = Threads.daemon("other", () -> {
            burn(args);
            Threads.pause(60_000);
        });
        while (other.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(10);
        }
        long own = Thread.currentThread().getId();
        for (int i = 0; i < 2; i++) {
            burn(args);
            System.out.println("before=" + THREADS.getCurrentThreadCpuTime());
            System.out.println("user=" + THREADS.getCurrentThreadUserTime());
            System.out.println("by_id=" + THREADS.getThreadUserTime(own));
            System.out.println("by_array=" + THREADS.getThreadUserTime(new long[]{own})[0]);
            System.out.println("after=" + THREADS.getCurrentThreadCpuTime());
            System.out.println("other=" + THREADS.getThreadUserTime(other.getId()));
            System.out.println("other_total=" + THREADS.getThreadCpuTime(other.getId()));
        }
        System.exit(3);
    }
}
