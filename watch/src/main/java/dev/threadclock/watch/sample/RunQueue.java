// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.util.Optional;

/**
 * What the scheduler says of a thread (/proc/PID/task/TID/schedstat).
 *
 * @param ranNanos since its start; identifies the thread, because it never decreases and TIDs are reused
 * @param waitedNanos since its start, runnable without a CPU. The kernel counts a wait when it ends
 *     (kernel/sched/stats.h, sched_info_arrive): it stands still as long as the thread does not run
 */
public record RunQueue(long ranNanos, long waitedNanos) {
    /** Empty: the kernel does not count (CONFIG_SCHED_INFO), or this is something else. */
    static Optional<RunQueue> parse(String schedstat) {
        String[] fields = schedstat.strip().split(" ");
        try {
            return fields.length != 3 || fields[2].equals("0") ? Optional.empty()
                    : Optional.of(new RunQueue(Long.parseLong(fields[0]), Long.parseLong(fields[1])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
