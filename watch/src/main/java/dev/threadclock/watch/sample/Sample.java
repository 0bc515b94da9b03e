// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.CpuSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * All threads of a JVM at one moment.
 *
 * @param wallMillis since 1970
 * @param monotonicNanos CLOCK_MONOTONIC, from which the length of an interval is computed
 * @param process times of the whole process, including ended threads, read just after the threads
 * @param threads all living threads, and, with serial and tid 0, "(ended threads)": the part of the process's
 *     time that belongs to no observed thread. So the sum over living and ended threads equals the process's
 *     time
 * @param ended threads that have ended since the last sample, with their final times
 * @param virtual empty if virtual threads are not accounted for, or if there are too many to read them so
 *     often
 */
public record Sample(long wallMillis, long monotonicNanos, CpuSnapshot process, List<ThreadSample> threads,
        List<ThreadSample> ended, Optional<VirtualSample> virtual) {
    public Sample(long wallMillis, long monotonicNanos, CpuSnapshot process, List<ThreadSample> threads,
            List<ThreadSample> ended) {
        this(wallMillis, monotonicNanos, process, threads, ended, Optional.empty());
    }
}
