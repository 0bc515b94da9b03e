// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;

/** The CPU time that the process used between two requests of Flight Recorder. */
final class ProcessIntervals {
    private final CpuTimes now = new CpuTimes();
    private final CpuTimes before = new CpuTimes();
    private long beforeNanos;

    synchronized void takeStock() {
        beforeNanos = System.nanoTime();
        ThreadClock.readProcess(before);
    }

    synchronized void emit() {
        long nowNanos = System.nanoTime();
        if (!ThreadClock.readProcess(now)) {
            return;
        }
        ProcessCpuTime event = new ProcessCpuTime();
        event.user = now.userNanosSince(before);
        event.system = now.systemNanosSince(before);
        event.total = now.totalNanosSince(before);
        event.interval = nowNanos - beforeNanos;
        event.intervalEnd = System.currentTimeMillis();
        event.commit();
        before.set(now);
        beforeNanos = nowNanos;
    }
}
