// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/** What {@link AccountKeeper} reads: the process's threads, row by row, its clock and its CPU limit. */
interface AccountSource {
    /** The process's clock. Called before the pass, so that threads never have less than it shows. */
    boolean process(CpuTimes times);

    /** Reads all threads, and returns the number of rows, whose order stays the same from pass to pass. */
    int pass();

    /** Constant for a thread, and never another thread's. */
    long serial(int row);

    long userNanos(int row);

    long systemNanos(int row);

    long totalNanos(int row);

    boolean isJava(int row);

    /** True for a Java thread that the JVM has started for itself. */
    boolean isOfTopGroup(int row);

    /** True for a Java thread that the JVM has started to carry virtual threads. */
    boolean isCarrier(int row);

    /** The name of a Java thread, otherwise the kernel's (at most 15 bytes), which is allocated. */
    String name(int row);

    /** A hash of the kernel's name. */
    long kernelNameHash(int row);

    /** How long the thread has waited for a CPU; -1: it has ended, or this is unknown. */
    long waitedNanos(int row);

    /**
     * Reads the groups of virtual threads, and returns their number. Called after the pass: what they use in
     * between is found with their carriers in the next pass, and has not gone to another group by then.
     */
    int virtualGroups();

    String virtualName(int group);

    /** The number of living threads. */
    int virtualThreads(int group);

    long virtualUserNanos(int group);

    /** The sum of user and system. */
    long virtualTotalNanos(int group);

    /** Reads the control group, so that its two values are of one moment. */
    void readThrottling();

    /** -1: unknown. */
    long throttledPeriods();

    /** -1: unknown. */
    long throttledNanos();
}
