// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import dev.threadclock.internal.VirtualGroups;
import java.util.HashMap;
import java.util.Map;

/** The CPU time that each group of virtual threads used between two requests of Flight Recorder. */
final class VirtualIntervals {
    private static final class Used {
        long user;
        long total;
    }

    private final VirtualGroups groups = new VirtualGroups();
    private final Map<String, Used> before = new HashMap<>(); // groups are few and never disappear
    private long beforeNanos;

    synchronized void takeStock() {
        pass(false);
    }

    synchronized void emit() {
        pass(true);
    }

    private void pass(boolean emit) {
        long nowNanos = System.nanoTime();
        groups.read();
        for (int i = 0; i < groups.size(); i++) {
            Used last = before.computeIfAbsent(groups.name(i), name -> new Used());
            if (emit && (groups.threads(i) > 0 || groups.totalNanos(i) > last.total)) {
                emit(i, last, nowNanos - beforeNanos);
            }
            last.user = groups.userNanos(i);
            last.total = groups.totalNanos(i);
        }
        beforeNanos = nowNanos;
    }

    private void emit(int i, Used last, long interval) {
        VirtualThreadsCpuTime event = new VirtualThreadsCpuTime();
        event.group = groups.name(i);
        event.threads = groups.threads(i);
        event.mounted = groups.mounted(i);
        event.user = groups.userNanos(i) - last.user;
        event.total = groups.totalNanos(i) - last.total;
        event.system = event.total - event.user;
        event.interval = interval;
        event.intervalEnd = System.currentTimeMillis();
        event.commit();
    }
}
