// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * Internal: turns successive readings of a process's threads into intervals: what each thread used since the
 * last reading, and the rest, which the process used and no thread showed. It is the time of threads that
 * started and ended between two readings, or before the first one, and the last part of each thread that
 * ended after a reading. So the sum over threads and rest follows the process's clock, and no time counts
 * twice. For one thread at a time.
 */
public final class CpuIntervals {
    /** A thread of the process. */
    public static class Row extends Counter {
        /** Unique in the process, even if the TID is reused. */
        public final long serial;

        public Row(long serial) {
            this.serial = serial;
        }
    }

    private final Counter rest = new Counter();
    private long shownUser; // by any thread so far
    private long shownTotal;

    /** Begins an interval and reads all threads. Allocates only if threads have started or ended. */
    public void read(ThreadTable table) {
        table.read();
        for (int i = 0; i < table.size(); i++) {
            table.row(i).begin();
            raise(table.row(i), table.userNanos(i), table.totalNanos(i));
        }
    }

    /** Raises the times of a thread, for callers that do not read a table. */
    public void raise(Row row, long userNanos, long totalNanos) {
        long user = row.userNanos();
        long total = row.totalNanos();
        row.raise(userNanos, totalNanos);
        shownUser += row.userNanos() - user;
        shownTotal += row.totalNanos() - total;
    }

    /**
     * Ends an interval in which the process's clock was read. It and the threads' clocks are not read at the
     * same moment, so the difference jitters: it counts only where it exceeds all earlier ones.
     *
     * @return the rest
     */
    public Counter rest(long processUserNanos, long processTotalNanos) {
        rest.begin();
        rest.raise(processUserNanos - shownUser, processTotalNanos - shownTotal);
        return rest;
    }
}
