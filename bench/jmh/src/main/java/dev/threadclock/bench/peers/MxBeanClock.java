// SPDX-License-Identifier: Apache-2.0
// The JDK's ThreadMXBean: as it is, or with the agent, if the fork has it.
package dev.threadclock.bench.peers;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

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
