// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.watch.sample.Times;
import java.util.List;

/**
 * What the virtual threads of a JVM used between two moments. It is part of what their carriers used.
 *
 * @param nanos from one moment to the other, which is nearly the interval; they are read slightly before the
 *     carriers
 * @param groups rows for which {@link Use#isVirtual} is true, including groups that have not run
 * @param carriers used by the JVM's own carriers in the interval; what is not the virtual threads' is the
 *     scheduler's
 */
public record VirtualUse(long nanos, List<Use> groups, Times carriers) {
    /** Of all groups, in the interval. */
    public Times times() {
        return groups.stream().map(Use::interval).reduce(Times.NONE, Times::plus);
    }

    /** All that live. */
    public int threads() {
        return groups.stream().mapToInt(Use::threads).sum();
    }

    public int mounted() {
        return groups.stream().mapToInt(Use::mounted).sum();
    }

    /** Groups that ran. */
    public List<Use> ran() {
        return groups.stream().filter(use -> use.interval().totalNanos() > 0).toList();
    }

    /** Percent of one core. */
    public double percent(long usedNanos) {
        return nanos <= 0 ? 0 : 100.0 * usedNanos / nanos;
    }
}
