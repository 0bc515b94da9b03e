// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import dev.threadclock.CpuSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The CPU time that a JVM used between two samples.
 *
 * @param endMillis since 1970
 * @param nanos the length of the interval
 * @param process used by the whole process in the interval
 * @param life used by the whole process since its start
 * @param threads the threads alive at the end of the interval, whether or not they ran in it
 * @param ended the threads that ended in the interval
 * @param virtual empty if virtual threads are not accounted for or were not read
 */
public record Interval(long endMillis, long nanos, CpuSnapshot process, CpuSnapshot life, List<Use> threads,
        List<Use> ended, Optional<Virtual> virtual) {
    public Interval(long endMillis, long nanos, CpuSnapshot process, CpuSnapshot life, List<Use> threads,
            List<Use> ended) {
        this(endMillis, nanos, process, life, threads, ended, Optional.empty());
    }

    /** Living threads individually. Ended threads, which may be many, are combined by pool. */
    public List<Use> byThread() {
        List<Use> all = new ArrayList<>(threads);
        pools(ended).forEach(
                pool -> all.add(new Use(pool.name() + " (" + pool.threads() + " ended)", 0, 0, 0, Use.ENDED,
                        pool.threads(), pool.interval(), pool.life())));
        return all;
    }

    /** Living and ended threads, individually. */
    public List<Use> all() {
        return Stream.concat(threads.stream(), ended.stream()).toList();
    }

    /** The groups of virtual threads. Their time is part of their carriers'. */
    public List<Use> groups() {
        return virtual.map(Virtual::groups).orElse(List.of());
    }

    /** All threads that ran in the interval. */
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

    /** Converts nanoseconds used in the interval to percent of one core. */
    public double percent(long usedNanos) {
        return 100.0 * usedNanos / nanos;
    }

    /**
     * The CPU time that the virtual threads of a JVM used between two moments. It is part of what their
     * carriers used.
     *
     * @param nanos the time between the two moments. It differs slightly from the interval's length, because
     *     virtual threads are read shortly before their carriers
     * @param groups all groups, including those that have not run; {@link Use#isVirtual} is true for each
     * @param carriers used by the JVM's own carriers in the interval. The part that the virtual threads did
     *     not use is the scheduler's
     */
    public record Virtual(long nanos, List<Use> groups, CpuSnapshot carriers) {
        /** The sum over all groups. */
        public CpuSnapshot times() {
            return groups.stream().map(Use::interval).reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
        }

        /** The number of living virtual threads. */
        public int threads() {
            return groups.stream().mapToInt(Use::threads).sum();
        }

        public int mounted() {
            return groups.stream().mapToInt(Use::mounted).sum();
        }

        /** Converts nanoseconds used between the two moments to percent of one core. */
        public double percent(long usedNanos) {
            return nanos <= 0 ? 0 : 100.0 * usedNanos / nanos;
        }
    }
}
