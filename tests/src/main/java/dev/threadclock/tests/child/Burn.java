// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Work in user mode without allocation: how the child programs use CPU time. */
final class Burn {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static volatile long sink;

    /** Some microseconds of arithmetic. */
    static void slice() {
        long x = sink;
        for (int i = 0; i < 2000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    /** Burns until System.nanoTime() has reached this value. */
    static void until(long nanoTime) {
        while (System.nanoTime() - nanoTime < 0) {
            slice();
        }
    }

    /** Burns until the calling thread has used this much more CPU time. */
    static void cpuNanos(long nanos) {
        long end = THREADS.getCurrentThreadCpuTime() + nanos;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 20; i++) {
                slice();
            }
        }
    }
}
