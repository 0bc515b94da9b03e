// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.interval.Use;
import java.util.Comparator;
import java.util.Locale;

/** What the threads are sorted by: the greatest first, except for names. */
enum SortKey {
    TOTAL(Comparator.comparingLong((Use use) -> use.interval().totalNanos()).reversed()),
    USER(Comparator.comparingLong((Use use) -> use.interval().userNanos()).reversed()),
    SYSTEM(Comparator.comparingLong((Use use) -> use.interval().systemNanos()).reversed()),
    WAIT(Comparator.comparingLong(Use::waitNanos).reversed()),
    TIME(Comparator.comparingLong((Use use) -> use.life().totalNanos()).reversed()),
    NAME(Comparator.comparing(Use::name));

    private final Comparator<Use> order;

    SortKey(Comparator<Use> order) {
        this.order = order
                .thenComparing(Comparator.comparingLong((Use use) -> use.life().totalNanos()).reversed())
                .thenComparing(Use::name).thenComparingInt(Use::tid);
    }

    Comparator<Use> order() {
        return order;
    }

    SortKey next() {
        return values()[(ordinal() + 1) % values().length];
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
