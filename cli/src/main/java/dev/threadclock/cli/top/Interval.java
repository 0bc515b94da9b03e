// SPDX-License-Identifier: Apache-2.0
// What a JVM has done between two samples.
package dev.threadclock.cli.top;

import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.sample.Sample;
import dev.threadclock.cli.sample.ThreadSample;
import dev.threadclock.cli.sample.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * @param nanos its length
 * @param process used by all threads together, and life: since the process started
 * @param threads of those alive at its end
 * @param ended of those that have ended in it
 * @param stolenNanos taken by the hypervisor from the whole machine
 * @param throttledNanos for which the control group was kept from running
 */
record Interval(
        long wallMillis, long nanos, Times process, Times life, List<Use> threads, List<Use> ended, long stolenNanos, double limitCpus,
        long throttledNanos) {
    private static final Times NONE = new Times(0, 0, 0);

    /** A sample and what was known from outside at that moment. */
    record Moment(Sample sample, Hindrance hindrance) {}

    static Interval between(Moment before, Moment after) {
        Map<Long, Times> known = new HashMap<>();
        before.sample.threads().forEach(thread -> known.put(thread.serial(), times(thread)));
        Sample sample = after.sample;
        return new Interval(sample.wallMillis(), sample.monotonicNanos() - before.sample.monotonicNanos(),
                Use.minus(sample.process(), before.sample.process()), sample.process(), uses(sample.threads(), known),
                uses(sample.ended(), known), after.hindrance.stolenNanos() - before.hindrance.stolenNanos(), after.hindrance.cpus(),
                after.hindrance.throttledNanos() - before.hindrance.throttledNanos());
    }

    private static List<Use> uses(List<ThreadSample> threads, Map<Long, Times> known) {
        return threads.stream().map(thread -> Use.of(thread, known.getOrDefault(thread.serial(), NONE))).toList();
    }

    private static Times times(ThreadSample thread) {
        return new Times(thread.userNanos(), thread.systemNanos(), thread.totalNanos());
    }

    /** Those alive one by one; those that have ended, which may be many, by pool. */
    List<Use> byThread() {
        List<Use> all = new ArrayList<>(threads);
        pools(ended).forEach(pool -> all.add(new Use(pool.name() + " (" + pool.threads() + " ended)", 0, 0, 0, Use.ENDED,
                pool.threads(), pool.interval(), pool.life())));
        return all;
    }

    /** Those alive and those that have ended, one by one. */
    List<Use> all() {
        List<Use> all = new ArrayList<>(threads);
        all.addAll(ended);
        return all;
    }

    List<Use> byPool() {
        return List.copyOf(pools(all()));
    }

    private static Collection<Use> pools(List<Use> uses) {
        Map<String, Use> pools = new LinkedHashMap<>();
        uses.forEach(use -> pools.merge(use.pool().name(), use.pool(), Use::and));
        return pools.values();
    }

    /** Of one core. */
    double percent(long usedNanos) {
        return 100.0 * usedNanos / nanos;
    }
}
