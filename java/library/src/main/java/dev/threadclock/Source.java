// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;

/** Where reads of a quantity at a freshness get their value in this JVM, for people and logs. Immutable. */
public final class Source {
    private final Quantity quantity;
    private final Freshness freshness;
    private final String name;
    private final long[] values = new long[3];

    Source(Quantity quantity, Freshness freshness) {
        this.quantity = quantity;
        this.freshness = freshness;
        name = Clocks.source(quantity.ordinal(), freshness.ordinal(), values);
    }

    /** {@return the quantity that is read} */
    public Quantity quantity() {
        return quantity;
    }

    /** {@return the requested freshness} */
    public Freshness freshness() {
        return freshness;
    }

    /**
     * {@return "tick cache", "getrusage", "ThreadMXBean" and so on; "none" when there is no source and the
     * read returns -1}
     */
    public String name() {
        return name;
    }

    /** {@return how Java calls the source: "JNI" or "ThreadMXBean"} */
    public String binding() {
        return ThreadClock.isNative() ? "JNI" : "ThreadMXBean";
    }

    /** {@return the system calls in one read; 0 for the tick cache, which makes one per tick; -1: unknown} */
    public int systemCalls() {
        return (int) values[0];
    }

    /** {@return the smallest step of the value in nanoseconds; -1 if not known} */
    public long resolutionNanos() {
        return values[1];
    }

    /**
     * {@return the maximum age in nanoseconds: 0 for NOW, typically two ticks for TICK; -1: unknown}
     */
    public long ageNanos() {
        return values[2];
    }

    /** {@return why the native library is not used, with the remedy; empty if it is used} */
    public String whyNotNative() {
        return Clocks.whyNotNative();
    }

    /** Returns all values on one line. */
    @Override
    public String toString() {
        String text = quantity + " " + freshness + ": " + name + " through " + binding() + ", steps of "
                + nanos(resolutionNanos()) + ", at most " + nanos(ageNanos()) + " old, system calls: "
                + (systemCalls() < 0 ? "not known" : systemCalls());
        return whyNotNative().isEmpty() ? text : text + " (" + whyNotNative() + ")";
    }

    private static String nanos(long nanos) {
        return nanos < 0 ? "an unknown number of ns" : nanos + " ns";
    }
}
