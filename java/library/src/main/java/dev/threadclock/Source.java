// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks.SourceFacts;

/** Where reads of a quantity at a freshness get their value in this JVM, for people and logs. Immutable. */
public final class Source {
    private final Quantity quantity;
    private final Freshness freshness;
    private final SourceFacts facts;

    Source(Quantity quantity, Freshness freshness, SourceFacts facts) {
        this.quantity = quantity;
        this.freshness = freshness;
        this.facts = facts;
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
        return facts.name;
    }

    /** {@return how Java calls the source: "JNI" or "ThreadMXBean"} */
    public String binding() {
        return facts.binding;
    }

    /** {@return the system calls in one read; 0 for the tick cache, which makes one per tick; -1: unknown} */
    public int systemCalls() {
        return facts.systemCalls;
    }

    /** {@return the smallest step of the value in nanoseconds; -1 if not known} */
    public long resolutionNanos() {
        return facts.resolutionNanos;
    }

    /**
     * {@return the maximum age in nanoseconds: 0 for NOW, typically two ticks for TICK; -1: unknown}
     */
    public long ageNanos() {
        return facts.ageNanos;
    }

    /** {@return why the native library is not used, with the remedy; empty if it is used} */
    public String whyNotNative() {
        return facts.whyNotNative;
    }

    /** Returns all values on one line. */
    @Override
    public String toString() {
        String text = quantity + " " + freshness + ": " + facts.name + " through " + facts.binding
                + ", steps of "
                + nanos(facts.resolutionNanos) + ", at most " + nanos(facts.ageNanos) + " old, system calls: "
                + (facts.systemCalls < 0 ? "not known" : facts.systemCalls);
        return facts.whyNotNative.isEmpty() ? text : text + " (" + facts.whyNotNative + ")";
    }

    private static String nanos(long nanos) {
        return nanos < 0 ? "an unknown number of ns" : nanos + " ns";
    }
}
