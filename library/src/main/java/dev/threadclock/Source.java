// SPDX-License-Identifier: Apache-2.0
// Where a reading comes from, for people and for logs.
package dev.threadclock;

import dev.threadclock.internal.SourceFacts;

/** Where the reads of one quantity at one freshness take their value from, here and now. Immutable. */
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

    /** {@return the freshness that was asked for} */
    public Freshness freshness() {
        return freshness;
    }

    /** {@return "tick cache", "getrusage", "ThreadMXBean" and the like; "none" when nothing answers and the read is -1} */
    public String name() {
        return facts.name;
    }

    /** {@return how Java comes to it: "FFM", "JNI" or "ThreadMXBean"} */
    public String binding() {
        return facts.binding;
    }

    /** {@return system calls in one read; 0 for the tick cache, which makes one per tick. -1: not known} */
    public int systemCalls() {
        return facts.systemCalls;
    }

    /** {@return the smallest step of the value. -1: not known} */
    public long resolutionNanos() {
        return facts.resolutionNanos;
    }

    /** {@return how old the value may be: 0 for NOW, typically two ticks for TICK. -1: not known} */
    public long ageNanos() {
        return facts.ageNanos;
    }

    /** {@return why the native library is not used, with the remedy; empty when it is} */
    public String whyNotNative() {
        return facts.whyNotNative;
    }

    /** One line with all of it. */
    @Override
    public String toString() {
        String text = quantity + " " + freshness + ": " + facts.name + " through " + facts.binding + ", steps of "
                + nanos(facts.resolutionNanos) + ", at most " + nanos(facts.ageNanos) + " old, system calls: "
                + (facts.systemCalls < 0 ? "not known" : facts.systemCalls);
        return facts.whyNotNative.isEmpty() ? text : text + " (" + facts.whyNotNative + ")";
    }

    private static String nanos(long nanos) {
        return nanos < 0 ? "an unknown number of ns" : nanos + " ns";
    }
}
