// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.util.Optional;

/**
 * The scheduler's statistics of a thread (/proc/PID/task/TID/schedstat).
 *
 * @param ranNanos run time since the thread's start. It never decreases, which reveals that a TID was reused
 * @param waitedNanos time since its start in which it was runnable but had no CPU. The kernel counts a wait
 *     when it ends (kernel/sched/stats.h, sched_info_arrive), so the value changes only when the thread runs
 */
public record RunQueue(long ranNanos, long waitedNanos) {
    /** Empty if the kernel does not count (CONFIG_SCHED_INFO), or if the text has another format. */
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
