// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The JDK's ThreadMXBean, with the agent if the fork loads it. */
final class MxBeanClock implements OwnThreadClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Override
    public long userNanos() {
        return THREADS.getCurrentThreadUserTime();
    }

    @Override
    public long totalNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
