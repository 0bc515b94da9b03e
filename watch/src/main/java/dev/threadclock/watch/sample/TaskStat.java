// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.internal.CpuIntervals.Counter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A thread or process as described by its file "stat" in /proc (proc_pid_stat(5)).
 *
 * @param userNanos the kernel's scaled user time, in units of 10 ms; likewise systemNanos
 * @param start distinguishes threads with the same TID
 */
record TaskStat(String name, char state, long userNanos, long systemNanos, long start) {
    private static final long UNIT_NANOS = 10_000_000; // USER_HZ is 100 on x86-64 and aarch64
    private static final int STATE = 0;
    private static final int USER = 11;
    private static final int SYSTEM = 12;
    private static final int START = 19;

    /** Empty for other text. The name, in parentheses, may contain anything: read as ISO 8859-1. */
    static Optional<TaskStat> parse(String text) {
        int open = text.indexOf('(');
        int close = text.lastIndexOf(')');
        if (open < 0 || close < open) {
            return Optional.empty();
        }
        String[] fields = text.substring(close + 1).strip().split(" ");
        if (fields.length <= START || fields[STATE].isEmpty()) {
            return Optional.empty();
        }
        byte[] name = text.substring(open + 1, close).getBytes(StandardCharsets.ISO_8859_1);
        try {
            return Optional.of(new TaskStat(Printable.line(new String(name, StandardCharsets.UTF_8)),
                    fields[STATE].charAt(0), Long.parseLong(fields[USER]) * UNIT_NANOS,
                    Long.parseLong(fields[SYSTEM]) * UNIT_NANOS, Long.parseLong(fields[START])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /**
     * Raises a counter to a precise total of at least user + system. What exceeds their sum is divided in
     * their ratio.
     */
    void raise(Counter counter, long totalNanos) {
        long known = userNanos + systemNanos;
        long total = Math.max(totalNanos, known);
        double userPart = known == 0 ? 1 : (double) userNanos / known;
        counter.raise(userNanos + (long) ((total - known) * userPart), total);
    }
}
