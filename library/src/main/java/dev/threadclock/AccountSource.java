// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/** What {@link AccountKeeper} reads: the process's threads, row by row, its clock and its CPU limit. */
interface AccountSource {
    /** The process's clock. Called before the pass, so that threads never have less than it shows. */
    boolean process(CpuTimes times);

    /** One pass over all threads: the number of rows. Rows keep their order from pass to pass. */
    int pass();

    /** Never another thread's. */
    long serial(int row);

    long userNanos(int row);

    long systemNanos(int row);

    long totalNanos(int row);

    boolean isJava(int row);

    /** True for a Java thread that the JVM has started for itself. */
    boolean isOfTopGroup(int row);

    /** True for a Java thread that the JVM has started to carry virtual threads. */
    boolean isCarrier(int row);

    /** A Java thread's own, otherwise the kernel's of at most 15 bytes. Allocates only in the second case. */
    String name(int row);

    /** Changes with the kernel's name. */
    long kernelNameHash(int row);

    /** How long the thread has waited for a CPU; -1: it has ended, or this is unknown. */
    long waitedNanos(int row);

    /**
     * Reads the groups of virtual threads, and returns their number. Called after the pass: what they use
     * between the two is then found with their carriers in the next pass, and has gone to no other group.
     */
    int virtualGroups();

    String virtualName(int group);

    /** How many live. */
    int virtualThreads(int group);

    long virtualUserNanos(int group);

    /** User and system. */
    long virtualTotalNanos(int group);

    /** Reads the control group anew, after which its two values are those of one moment. */
    void readThrottling();

    /** -1: unknown. */
    long throttledPeriods();

    /** -1: unknown. */
    long throttledNanos();
}
