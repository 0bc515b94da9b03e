// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/** How long single reads take, each between two nanoTime() calls. */
final class ReadLatency {
    private static final int MOST = 1_000_000;

    private ReadLatency() {}

    /** The duration that 999 of 1,000 reads do not exceed, of at most a million reads. */
    static long p999Nanos(ThreadMXBean bean, long nanos) {
        long[] durations = new long[MOST];
        measure(bean, nanos / 4, durations); // compiles the loop
        int count = measure(bean, nanos, durations);
        Arrays.sort(durations, 0, count);
        return durations[(int) ((count - 1) * 999L / 1000)];
    }

    private static int measure(ThreadMXBean bean, long nanos, long[] durations) {
        long end = System.nanoTime() + nanos;
        long sum = 0;
        long last;
        int count = 0;
        do {
            long before = System.nanoTime();
            sum += bean.getCurrentThreadUserTime();
            last = System.nanoTime();
            durations[count++] = last - before;
        } while (count < MOST && last - end < 0);
        ReadCost.sink += sum;
        return count;
    }
}
