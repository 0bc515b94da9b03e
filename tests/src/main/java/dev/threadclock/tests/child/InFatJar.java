// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A child program: an application that brings the library along. Checks its own times against the JVM's, and
 * prints {@code native=true binding=NAME user=NANOS total=NANOS loader=CLASS}.
 */
public final class InFatJar {
    private static volatile long sink;

    public static void main(String[] args) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        for (long end = System.nanoTime() + 300_000_000L; System.nanoTime() - end < 0;) {
            sink++;
        }
        long before = bean.getCurrentThreadCpuTime();
        long total = ThreadClock.totalNowNanos();
        long after = bean.getCurrentThreadCpuTime();
        if (total < before || total > after) {
            throw new AssertionError(total + " is not between " + before + " and " + after);
        }
        long user = ThreadClock.userNanos();
        long later = ThreadClock.totalNowNanos();
        if (user > later) {
            throw new AssertionError("user " + user + " is more than total " + later);
        }
        System.out.println("native=" + ThreadClock.isNative() + " binding="
                + ThreadClock.source(Quantity.USER, Freshness.TICK).binding() + " user=" + user + " total="
                + total + " loader=" + InFatJar.class.getClassLoader().getClass().getName());
    }
}
