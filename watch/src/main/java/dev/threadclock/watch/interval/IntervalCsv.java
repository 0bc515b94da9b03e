// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.CpuSnapshot;
import java.time.Instant;
import java.util.List;

/**
 * Intervals as comma-separated values (RFC 4180), with one row per thread or group of virtual threads. Values
 * are nanoseconds in the interval and since the thread's start (life).
 */
public final class IntervalCsv {
    public static final String HEAD = "end,interval_ns,os_thread_id,java_thread_id,thread,pool,state,"
            + "user_ns,system_ns,total_ns,life_user_ns,life_system_ns,life_total_ns";

    private IntervalCsv() {}

    /** threads: the threads to list, which may include groups of virtual threads. */
    public static List<String> rows(Interval interval, List<Use> threads) {
        Instant end = Instant.ofEpochMilli(interval.endMillis());
        long virtualNanos = interval.virtual().map(Interval.Virtual::nanos).orElse(interval.nanos());
        return threads.stream()
                .map(use -> end + "," + (use.isVirtual() ? virtualNanos : interval.nanos()) + "," + use.tid()
                        + "," + use.javaId() + "," + quoted(use.name()) + ","
                        + quoted(use.pool())
                        + "," + use.state() + "," + numbers(use.interval()) + "," + numbers(use.life()))
                .toList();
    }

    private static String numbers(CpuSnapshot times) {
        return times.userNanos() + "," + times.systemNanos() + "," + times.totalNanos();
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
