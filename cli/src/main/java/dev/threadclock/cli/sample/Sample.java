// SPDX-License-Identifier: Apache-2.0
// All threads of a JVM at one moment.
package dev.threadclock.cli.sample;

import java.util.List;

/**
 * @param wallMillis since 1970
 * @param monotonicNanos CLOCK_MONOTONIC: for the length of an interval
 * @param process of the whole process, those that have ended included; read just after the threads
 * @param threads those alive, changed or not; and, with serial and tid 0, "(ended threads)": what of the process's time is no
 *     thread's that was seen to live or to end. So the sum of all threads and of all that have ended is the process's time
 * @param ended since the last sample, with their final times
 */
public record Sample(long wallMillis, long monotonicNanos, Times process, List<ThreadSample> threads, List<ThreadSample> ended) {}
