// SPDX-License-Identifier: Apache-2.0
// What a JVM has used between two samples.
package dev.threadclock.cli.interval;

import dev.threadclock.cli.sample.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * @param endMillis since 1970
 * @param nanos its length
 * @param process used by the whole process, and life: since it started
 * @param threads of those alive at its end, whether they have run in it or not
 * @param ended of those that have ended in it
 */
public record Interval(long endMillis, long nanos, Times process, Times life, List<Use> threads, List<Use> ended) {
    /** Those alive one by one; those that have ended, which may be many, by pool. */
    public List<Use> byThread() {
        List<Use> all = new ArrayList<>(threads);
        pools(ended).forEach(pool -> all.add(new Use(pool.name() + " (" + pool.threads() + " ended)", 0, 0, 0, Use.ENDED,
                pool.threads(), pool.interval(), pool.life())));
        return all;
    }

    /** Those alive and those that have ended, one by one. */
    public List<Use> all() {
        List<Use> all = new ArrayList<>(threads);
        all.addAll(ended);
        return all;
    }

    /** Of all, those that have run in it. */
    public List<Use> ran() {
        return all().stream().filter(use -> use.interval().totalNanos() > 0).toList();
    }

    public List<Use> byPool() {
        return List.copyOf(pools(all()));
    }

    private static Collection<Use> pools(List<Use> uses) {
        Map<String, Use> pools = new LinkedHashMap<>();
        uses.forEach(use -> pools.merge(use.pool(), use.asPool(), Use::and));
        return pools.values();
    }

    /** Of one core. */
    public double percent(long usedNanos) {
        return 100.0 * usedNanos / nanos;
    }
}
