// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Interval;
import java.time.Duration;

/** When top ends by itself: after a number of intervals, or after a time by the clock. Not thread-safe. */
final class Limit {
    private final long most;
    private final long mostNanos;
    private long intervals;
    private long firstNanos; // the beginning of the first interval
    private long lengthNanos;
    private long countedNanos; // of all intervals; samples that were late may come at once

    /** duration: zero if there is no limit. */
    Limit(long most, Duration duration) {
        this.most = most;
        mostNanos = duration.isZero() ? Long.MAX_VALUE : duration.toNanos();
    }

    void count(Interval interval) {
        lengthNanos = interval.nanos();
        countedNanos += lengthNanos;
        if (intervals++ == 0) {
            firstNanos = System.nanoTime() - lengthNanos;
        }
    }

    /** An interval may be slightly longer or shorter than requested, so half an interval more must fit in. */
    boolean isReached() {
        long passedNanos = intervals > 0 ? Math.max(countedNanos, System.nanoTime() - firstNanos) : 0;
        return intervals >= most || passedNanos + lengthNanos / 2 >= mostNanos;
    }
}
