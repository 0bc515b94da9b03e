// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/** What a {@link CpuMeter} or {@link CpuWork} measures besides CPU time if it is asked to. */
public enum Extra {
    /**
     * Bytes that the thread allocates on the Java heap, as {@code com.sun.management.ThreadMXBean} counts
     * them. Costs some 25 ns an interval.
     */
    ALLOCATED_BYTES,
    /**
     * How long the thread was runnable but had no CPU, from its schedstat. Costs six system calls an interval
     * (some 10 us), which are not in its CPU time.
     */
    WAITED
}
