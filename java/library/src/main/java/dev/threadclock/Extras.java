// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;

/** What is measured besides CPU time: a value for each {@link Extra}, by its ordinal; -1: unknown. */
final class Extras {
    static final int COUNT = Extra.values().length;

    private final boolean[] isMeasured = new boolean[COUNT];

    private Extras() {}

    /** Null if nothing is asked for. */
    static Extras of(Extra... extras) {
        Extras asked = extras.length == 0 ? null : new Extras();
        for (Extra each : extras) {
            asked.isMeasured[each.ordinal()] = true;
        }
        return asked;
    }

    /** The sum of no intervals; -1 if this extra is not measured. */
    static long zero(Extras extras, int extra) {
        return extras != null && extras.isMeasured[extra] ? 0 : -1;
    }

    long now(int extra, Thread thread) {
        return !isMeasured[extra] ? -1
                : extra == Extra.WAITED.ordinal() ? Clocks.waitedNanos(thread)
                        : Clocks.allocatedBytes(thread);
    }

    /** A sum with another interval. Once unknown, it stays unknown. */
    static long sum(long sum, long begun, long ended) {
        return sum < 0 || begun < 0 || ended < begun ? -1 : sum + ended - begun;
    }

    static long sum(long sum, long other) {
        return sum(sum, 0, other);
    }
}
