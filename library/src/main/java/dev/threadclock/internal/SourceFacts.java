// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/** Internal: the properties that {@code dev.threadclock.Source} reports; -1 for an unknown number. */
public final class SourceFacts {
    public final String name;
    public final String binding;
    public final int systemCalls;
    public final long resolutionNanos;
    public final long ageNanos;
    public final String whyNotNative;

    SourceFacts(String name, String binding, int systemCalls, long resolutionNanos, long ageNanos,
            String whyNotNative) {
        this.name = name;
        this.binding = binding;
        this.systemCalls = systemCalls;
        this.resolutionNanos = resolutionNanos;
        this.ageNanos = ageNanos;
        this.whyNotNative = whyNotNative;
    }
}
