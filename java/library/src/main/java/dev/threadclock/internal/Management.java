// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What ThreadMXBean knows of threads: what they allocate; the rest for JVMs without native code. */
final class Management {
    /** Null in a run-time image without the module java.management. */
    static final Management INSTANCE = make();

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private Management() {}

    private static Management make() {
        try {
            return new Management();
        } catch (LinkageError | RuntimeException e) {
            return null;
        }
    }

    long ownUserNanos() {
        try {
            return threads.getCurrentThreadUserTime();
        } catch (UnsupportedOperationException e) {
            return -1; // a virtual thread, or a JVM that does not measure CPU time
        }
    }

    long ownTotalNanos() {
        try {
            return threads.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return -1;
        }
    }

    boolean ownTimes(Reading reading) {
        return split(ownUserNanos(), ownTotalNanos(), reading);
    }

    boolean threadTimes(long id, Reading reading) {
        try {
            return split(threads.getThreadUserTime(id), threads.getThreadCpuTime(id), reading);
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
    long allocatedBytes(long id) {
        try {
            return ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(id);
        } catch (LinkageError | ClassCastException | UnsupportedOperationException e) {
            return -1; // no module jdk.management, or a JVM that does not count them
        }
    }

    /** Total CPU time of the process, or -1. */
    static long processNanos() {
        try {
            return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                    .getProcessCpuTime();
        } catch (LinkageError | ClassCastException e) {
            return -1; // no module jdk.management
        }
    }

    /** Increases whenever a Java thread starts or a native one attaches. */
    long startedThreads() {
        return threads.getTotalStartedThreadCount();
    }

    /** Fills the table with the Java threads; other threads are not visible here. */
    void allThreads(ThreadTable table) {
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
