// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import com.sun.management.ThreadMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;

/** Work, in user mode without allocation: how tests and child programs use CPU time. */
public final class Burn {
    public static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    public static volatile long sink;

    /** Some microseconds of arithmetic. */
    public static void slice() {
        long x = sink;
        for (int i = 0; i < 2000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    /** Some microseconds of work in the kernel. */
    public static void kernelSlice() {
        sink += new File("/proc/self/task").list().length;
    }

    /** Burns until System.nanoTime() has reached this value. */
    public static void until(long nanoTime) {
        while (System.nanoTime() - nanoTime < 0) {
            slice();
        }
    }

    /** Burns until the calling thread has used this much more CPU time. */
    public static void cpuNanos(long nanos) {
        long end = THREADS.getCurrentThreadCpuTime() + nanos;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 20; i++) {
                slice();
            }
        }
    }
}
