// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import java.util.List;
import java.util.Optional;

/**
 * All threads of a JVM at one moment.
 *
 * @param wallMillis since 1970
 * @param monotonicNanos CLOCK_MONOTONIC: for the length of an interval
 * @param process of the whole process, ended threads included; read just after the threads
 * @param threads living threads, changed or not; and, with serial and tid 0, "(ended threads)": the part of
 *     the process's time that belongs to no thread seen to live or to end. So the sum over all living and
 *     ended threads equals the process's time
 * @param ended since the last sample, with their final times
 * @param virtual empty: virtual threads are not accounted for, or are too many to be read so often
 */
public record Sample(long wallMillis, long monotonicNanos, Times process, List<ThreadSample> threads,
        List<ThreadSample> ended, Optional<VirtualSample> virtual) {
    public Sample(long wallMillis, long monotonicNanos, Times process, List<ThreadSample> threads,
            List<ThreadSample> ended) {
        this(wallMillis, monotonicNanos, process, threads, ended, Optional.empty());
    }
}
