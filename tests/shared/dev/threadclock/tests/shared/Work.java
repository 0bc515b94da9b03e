// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.shared;

import dev.threadclock.ThreadClock;

/** Uses a known amount of CPU time, whatever the load of the machine. */
public final class Work {
    private Work() {}

    /** Uses at least this much CPU time on the calling thread, and returns the amount. */
    public static long burn(long nanos) {
        long begin = ThreadClock.totalNowNanos();
        long used = 0;
        while (used < nanos) {
            for (int i = 0; i < 100; i++) {
                Thread.onSpinWait();
            }
            used = ThreadClock.totalNowNanos() - begin;
        }
        return used;
    }
}
