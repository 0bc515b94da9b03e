// SPDX-License-Identifier: Apache-2.0
// Where a reading comes from, for people and for logs.
package dev.threadclock;

/** Where the reads of one quantity at one freshness take their value from, here and now. Immutable. */
public final class Source {
    private final Quantity quantity;
    private final Freshness freshness;
    private final String name;
    private final String binding;
    private final int systemCalls;
    private final long resolutionNanos;
    private final long ageNanos;
    private final String whyNotNative;

    Source(Quantity quantity, Freshness freshness, String name, String binding, int systemCalls, long resolutionNanos,
            long ageNanos, String whyNotNative) {
        this.quantity = quantity;
        this.freshness = freshness;
        this.name = name;
        this.binding = binding;
        this.systemCalls = systemCalls;
        this.resolutionNanos = resolutionNanos;
        this.ageNanos = ageNanos;
        this.whyNotNative = whyNotNative;
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
        return name;
    }

    /** {@return how Java comes to it: "FFM", "JNI" or "ThreadMXBean"} */
    public String binding() {
        return binding;
    }

    /** {@return system calls in one read; 0 for the tick cache, which makes one per tick. -1: not known} */
    public int systemCalls() {
        return systemCalls;
    }

    /** {@return the smallest step of the value. -1: not known} */
    public long resolutionNanos() {
        return resolutionNanos;
    }

    /** {@return how old the value may be: 0 for NOW, typically two ticks for TICK. -1: not known} */
    public long ageNanos() {
        return ageNanos;
    }

    /** {@return why the native library is not used, with the remedy; empty when it is} */
    public String whyNotNative() {
        return whyNotNative;
    }

    /** One line with all of it. */
    @Override
    public String toString() {
        String text = quantity + " " + freshness + ": " + name + " through " + binding + ", steps of " + nanos(resolutionNanos)
                + ", at most " + nanos(ageNanos) + " old, system calls: " + (systemCalls < 0 ? "not known" : systemCalls);
        return whyNotNative.isEmpty() ? text : text + " (" + whyNotNative + ")";
    }

    private static String nanos(long nanos) {
        return nanos < 0 ? "an unknown number of ns" : nanos + " ns";
    }
}
