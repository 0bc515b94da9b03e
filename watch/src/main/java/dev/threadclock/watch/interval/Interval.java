// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.watch.sample.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a JVM used between two samples.
 *
 * @param endMillis since 1970
 * @param nanos its length
 * @param process used by the whole process, and life: since it started
 * @param threads those alive at its end, whether or not they ran in it
 * @param ended those that ended in it
 */
public record Interval(long endMillis, long nanos, Times process, Times life, List<Use> threads,
        List<Use> ended) {
    /** Living threads individually; ended ones, which may be many, by pool. */
    public List<Use> byThread() {
        List<Use> all = new ArrayList<>(threads);
        pools(ended).forEach(
                pool -> all.add(new Use(pool.name() + " (" + pool.threads() + " ended)", 0, 0, 0, Use.ENDED,
                        pool.threads(), pool.interval(), pool.life())));
        return all;
    }

    /** Living and ended threads, individually. */
    public List<Use> all() {
        List<Use> all = new ArrayList<>(threads);
        all.addAll(ended);
        return all;
    }

    /** All threads that ran in it. */
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

    /** With what each living thread waited for a CPU, by serial. */
    public Interval withWaits(Map<Long, Long> nanos) {
        List<Use> waited = threads.stream()
                .map(use -> use.withWait(nanos.getOrDefault(use.serial(), Use.NOT_MEASURED))).toList();
        return new Interval(endMillis, this.nanos, process, life, waited, ended);
    }

    /** Percent of one core. */
    public double percent(long usedNanos) {
        return 100.0 * usedNanos / nanos;
    }
}
