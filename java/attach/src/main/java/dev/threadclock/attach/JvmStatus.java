// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What threadclock does in a JVM, as its agent reports it.
 *
 * @param values the keys and values of {@code threadclock status} in the order of the report, for example
 *     {@code version}, {@code bound.METHOD}, {@code freshness} and {@code user.source}; empty: threadclock is
 *     not loaded there
 */
public record JvmStatus(Map<String, String> values) {
    /**
     * Copies the values.
     *
     * @param values as {@link #values()} returns them
     */
    public JvmStatus {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * Whether threadclock is loaded, active or not.
     *
     * @return false: there are no values
     */
    public boolean isLoaded() {
        return !values.isEmpty();
    }

    /**
     * Whether threadclock answers the JVM's reads: at least one of its methods is replaced, or will be from
     * its next call on.
     *
     * @return false: it is detached, or not loaded
     */
    public boolean isActive() {
        return values.entrySet().stream().anyMatch(
                entry -> entry.getKey().startsWith("bound.") && entry.getValue().startsWith("threadclock"));
    }

    /**
     * One of the values.
     *
     * @param key as in {@link #values}
     * @return "" if the report has no such key
     */
    public String value(String key) {
        return values.getOrDefault(key, "");
    }
}
