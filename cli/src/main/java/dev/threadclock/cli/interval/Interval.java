// SPDX-License-Identifier: Apache-2.0
// Who used how much CPU time between two samples.
package dev.threadclock.cli.interval;

import dev.threadclock.cli.sample.Times;
import java.util.List;

/**
 * @param endMillis since 1970
 * @param nanos its length
 * @param process used by the whole process
 * @param shares of the threads that have run in it
 */
public record Interval(long endMillis, long nanos, Times process, List<Share> shares) {}
