// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** What ThreadMXBean knows of threads, for JVMs without native code. */
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

    boolean ownTimes(Sample sample) {
        return split(ownUserNanos(), ownTotalNanos(), sample);
    }

    boolean threadTimes(long id, Sample sample) {
        try {
            return split(threads.getThreadUserTime(id), threads.getThreadCpuTime(id), sample);
        } catch (UnsupportedOperationException e) {
            return split(-1, -1, sample);
        }
    }

    /** User was read before total, yet can exceed it where the JVM counts ticks (JDK 26). */
    private static boolean split(long user, long total, Sample sample) {
        if (user < 0 || total < 0) {
            sample.set(-1, -1, total);
        } else {
            long userInTotal = Math.min(user, total);
            sample.set(userInTotal, total - userInTotal, total);
        }
        return total >= 0;
    }

    /** Total CPU time of the process, or -1. */
    static long processNanos() {
        try {
            return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
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
        try {
            allThreadsByBean(table);
        } catch (SecurityException e) {
            permittedThreads(table);
        }
    }

    /** A security manager denies the list (ManagementPermission "monitor"), but not the times. */
    private void permittedThreads(ThreadTable table) {
        Thread[] live = JavaThreads.liveThreads();
        Sample sample = new Sample();
        table.begin(live.length);
        for (Thread thread : live) {
            if (thread != null && threadTimes(JavaThread.id(thread), sample)) {
                table.add(JavaThread.id(thread), thread.getName(), sample);
            }
        }
    }

    private void allThreadsByBean(ThreadTable table) {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        Sample sample = new Sample();
        table.begin(ids.length);
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && threadTimes(ids[i], sample)) {
                table.add(ids[i], infos[i].getThreadName(), sample);
            }
        }
    }
}
