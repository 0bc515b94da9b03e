// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * What ThreadMXBean knows of threads: what they allocate; and the reads without native code, which it answers
 * as of now, whatever freshness is requested.
 */
final class Management {
    /** Null in a run-time image without the module java.management. */
    private static final ThreadMXBean THREADS = threads();

    final String whyNotNative;

    /**
     * Null where threadclock has no native library (macOS, Windows, other processors), because nothing is
     * wrong there. Elsewhere, reads that are hundreds of times slower would go unnoticed.
     */
    private final OneWarning warning;

    /** Expected: there is no native library for this machine. */
    Management(String whyNotNative, boolean isExpected) {
        this.whyNotNative = whyNotNative;
        this.warning = isExpected ? null : new OneWarning(Clocks.notNative(whyNotNative));
    }

    private static ThreadMXBean threads() {
        try {
            return ManagementFactory.getThreadMXBean();
        } catch (LinkageError | RuntimeException e) {
            return null;
        }
    }

    static boolean isThere() {
        return THREADS != null;
    }

    /**
     * Warns here rather than in a static initializer: a log handler may itself read CPU times, which it could
     * not while the class is being initialized.
     */
    private void warn() {
        if (warning != null) {
            warning.log();
        }
    }

    long userNanos() {
        warn();
        try {
            return THREADS == null ? -1 : THREADS.getCurrentThreadUserTime();
        } catch (UnsupportedOperationException e) {
            return -1; // a virtual thread, or a JVM that does not measure CPU time
        }
    }

    long systemNanos() {
        long user = userNanos();
        long total = totalNanos();
        return user < 0 || total < 0 ? -1 : Math.max(0, total - user);
    }

    long totalNanos() {
        warn();
        try {
            return THREADS == null ? -1 : THREADS.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return -1;
        }
    }

    boolean times(Reading reading) {
        return split(userNanos(), totalNanos(), reading);
    }

    boolean begin(Reading reading) {
        boolean isKnown = times(reading);
        reading.begunUserNanos = reading.userNanos;
        reading.begunTotalNanos = reading.totalNanos;
        return isKnown;
    }

    boolean end(Reading reading) {
        return times(reading) && reading.since(reading.begunUserNanos, reading.begunTotalNanos);
    }

    boolean soFar(Thread thread, Reading begun, Reading used) {
        return threadTimes(thread, used) && used.since(begun.begunUserNanos, begun.begunTotalNanos);
    }

    boolean threadTimes(Thread thread, Reading reading) {
        warn();
        return JavaThread.isVirtual(thread) ? split(-1, -1, reading)
                : threadTimes(JavaThread.id(thread), reading);
    }

    static boolean threadTimes(long id, Reading reading) {
        try {
            return THREADS == null ? split(-1, -1, reading)
                    : split(THREADS.getThreadUserTime(id), THREADS.getThreadCpuTime(id), reading);
        } catch (UnsupportedOperationException e) {
            return split(-1, -1, reading);
        }
    }

    /** User was read before total, yet can exceed it where the JVM counts ticks (JDK 26). */
    private static boolean split(long user, long total, Reading reading) {
        if (user < 0 || total < 0) {
            reading.set(-1, -1, total);
        } else {
            long userInTotal = Math.min(user, total);
            reading.set(userInTotal, total - userInTotal, total);
        }
        return total >= 0;
    }

    /** The bytes that a thread has allocated on the Java heap, or -1. */
    static long allocatedBytes(long id) {
        try {
            return THREADS == null ? -1
                    : ((com.sun.management.ThreadMXBean) THREADS).getThreadAllocatedBytes(id);
        } catch (LinkageError | ClassCastException | UnsupportedOperationException e) {
            return -1; // no module jdk.management, or a JVM that does not count them
        }
    }

    /** Total CPU time of the process, or -1. */
    boolean processTimes(Reading reading) {
        warn();
        return split(-1, processNanos(), reading);
    }

    private static long processNanos() {
        try {
            return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                    .getProcessCpuTime();
        } catch (LinkageError | ClassCastException e) {
            return -1; // no module jdk.management
        }
    }

    /** Increases whenever a Java thread starts or a native one attaches; -1: unknown. */
    static long startedThreads() {
        return THREADS == null ? -1 : THREADS.getTotalStartedThreadCount();
    }

    /** Fills the table with the Java threads; other threads are not visible here. */
    void allThreads(ThreadTable table) {
        warn();
        Thread[] live = JavaThreads.liveThreads();
        Reading reading = new Reading();
        table.begin(live.length);
        for (Thread thread : live) {
            if (thread != null && threadTimes(JavaThread.id(thread), reading)) {
                table.add(JavaThread.id(thread), thread.getName(), reading);
            }
        }
    }
}
