// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import dev.threadclock.CpuSnapshot;
import java.io.Serializable;

/** What one attempt of a task has used, on its way from the executor to the driver. */
final class TaskCpu implements Serializable {
    private static final long serialVersionUID = 1;
    static final long NO_QUERY = -1;

    final int stage;
    final long query;
    final boolean failed;
    final long userNanos;
    final long systemNanos;
    final long totalNanos;
    final long waitedNanos; // -1: unknown

    TaskCpu(int stage, long query, boolean failed, CpuSnapshot used, long waitedNanos) {
        this.stage = stage;
        this.query = query;
        this.failed = failed;
        userNanos = used.userNanos();
        systemNanos = used.systemNanos();
        // User and system are read in whole microseconds, so their differences may exceed that of total.
        totalNanos = Math.max(used.totalNanos(), used.userNanos() + used.systemNanos());
        this.waitedNanos = waitedNanos;
    }
}
