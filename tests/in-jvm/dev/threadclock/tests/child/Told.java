// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import com.sun.management.ThreadMXBean;

/**
 * A child program: prints what ThreadMXBean reports for a thread that works in user mode. Prints before= and
 * after=, its total time around the reads, and user=, by_id=, by_array= and other= (of a thread that waits,
 * and its other_total=) in nanoseconds, and their values in a second reading. Exits with 3.
 */
public final class Told {
    /** Burns for a wall-clock time, because the thread's clock may be refused. */
    private static void burn() {
        for (long began = System.nanoTime(); System.nanoTime() - began < 100_000_000;) {
            Burn.slice();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = Threads.daemon("other", () -> {
            burn();
            Threads.pause(60_000);
        });
        while (other.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(10);
        }
        ThreadMXBean bean = (ThreadMXBean) Burn.THREADS;
        long own = Thread.currentThread().getId();
        for (int i = 0; i < 2; i++) {
            burn();
            System.out.println("before=" + bean.getCurrentThreadCpuTime());
            System.out.println("user=" + bean.getCurrentThreadUserTime());
            System.out.println("by_id=" + bean.getThreadUserTime(own));
            System.out.println("by_array=" + bean.getThreadUserTime(new long[]{own})[0]);
            System.out.println("after=" + bean.getCurrentThreadCpuTime());
            System.out.println("other=" + bean.getThreadUserTime(other.getId()));
            System.out.println("other_total=" + bean.getThreadCpuTime(other.getId()));
        }
        System.exit(3);
    }
}
