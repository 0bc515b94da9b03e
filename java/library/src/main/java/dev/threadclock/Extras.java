// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** Sums of what is measured besides CPU time, over intervals of any threads. */
final class Extras {
    private final Sum allocated;
    private final Sum waited;

    private Extras(boolean allocated, boolean waited) {
        this.allocated = allocated ? new Sum() : null;
        this.waited = waited ? new Sum() : null;
    }

    /** Null if nothing is asked for. */
    static Extras of(Extra... extras) {
        return extras.length == 0 ? null : new Extras(Arrays.asList(extras).contains(Extra.ALLOCATED_BYTES),
                Arrays.asList(extras).contains(Extra.WAITED));
    }

    private static final class Sum {
        private final LongAdder sum = new LongAdder();
        private volatile boolean isUnknown;

        void add(long before, long now) {
            if (before < 0 || now < before) {
                isUnknown = true;
            } else {
                sum.add(now - before);
            }
        }

        static long valueOf(Sum sum) {
            return sum == null || sum.isUnknown ? -1 : sum.sum.sum();
        }
    }

    /** What a thread had at the beginning of an interval. */
    static final class Begun {
        private long allocated;
        private long waited;
    }

    void begin(Thread thread, Begun begun) {
        begun.waited = waited == null ? -1 : Clocks.CLOCKS.waitedNanos(thread);
        begun.allocated = allocated == null ? -1 : Clocks.CLOCKS.allocatedBytes(thread);
    }

    void end(Thread thread, Begun begun) {
        if (allocated != null) {
            allocated.add(begun.allocated, Clocks.CLOCKS.allocatedBytes(thread));
        }
        if (waited != null) {
            waited.add(begun.waited, Clocks.CLOCKS.waitedNanos(thread));
        }
    }

    static long allocatedBytes(Extras extras) {
        return extras == null ? -1 : Sum.valueOf(extras.allocated);
    }

    static long waitedNanos(Extras extras) {
        return extras == null ? -1 : Sum.valueOf(extras.waited);
    }

    void reset() {
        for (Sum sum : new Sum[]{allocated, waited}) {
            if (sum != null) {
                sum.sum.reset();
                sum.isUnknown = false;
            }
        }
    }
}
