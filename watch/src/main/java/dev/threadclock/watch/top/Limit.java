// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.interval.Interval;
import java.time.Duration;

/** When top ends by itself: after a number of intervals, or after a time by the clock. Not thread-safe. */
final class Limit {
    private final long most;
    private final long mostNanos;
    private long intervals;
    private long firstNanos; // the beginning of the first interval
    private long lengthNanos;

    /** duration: zero if there is no limit. */
    Limit(long most, Duration duration) {
        this.most = most;
        mostNanos = duration.isZero() ? Long.MAX_VALUE : duration.toNanos();
    }

    void count(Interval interval) {
        lengthNanos = interval.nanos();
        if (intervals++ == 0) {
            firstNanos = System.nanoTime() - lengthNanos;
        }
    }

    /** An interval may be slightly longer or shorter than requested, so half an interval more must fit in. */
    boolean isReached() {
        return intervals >= most || intervals > 0 && mostNanos < Long.MAX_VALUE
                && System.nanoTime() - firstNanos + lengthNanos / 2 >= mostNanos;
    }
}
