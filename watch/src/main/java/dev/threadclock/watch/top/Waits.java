// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.Use;
import dev.threadclock.watch.sample.RunQueue;
import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.Sampling;
import dev.threadclock.watch.sample.ThreadSample;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What threads waited for a CPU in each interval, read from outside the JVM: once of all threads, then only
 * of
 * those that have run, because the others' account has not changed.
 */
final class Waits {
    private final Sampling sampling;
    private final Map<Long, Long> waited = new HashMap<>(); // by serial, since their starts

    Waits(Sampling sampling) {
        this.sampling = sampling;
    }

    /** The sample before the first interval. */
    void begin(Sample sample) {
        for (ThreadSample thread : sample.threads()) {
            waited(thread.tid(), thread.times().totalNanos())
                    .ifPresent(nanos -> waited.put(thread.serial(), nanos));
        }
    }

    /** By serial, in the interval that has just ended. */
    Map<Long, Long> next(Interval interval) {
        Map<Long, Long> waits = new HashMap<>();
        for (Use use : interval.threads()) {
            if (use.interval().totalNanos() == 0 && waited.containsKey(use.serial())) {
                waits.put(use.serial(), 0L);
                continue;
            }
            boolean isNew = use.interval().equals(use.life());
            Long before = waited.getOrDefault(use.serial(), isNew ? 0L : null);
            OptionalLong now = waited(use.tid(), use.life().totalNanos());
            if (before != null && now.isPresent() && now.getAsLong() >= before) {
                waits.put(use.serial(), now.getAsLong() - before);
            }
            now.ifPresent(nanos -> waited.put(use.serial(), nanos));
        }
        interval.ended().forEach(use -> waited.remove(use.serial()));
        return waits;
    }

    /** ranNanos: of this thread before; another one that has got its TID since has run less. */
    private OptionalLong waited(int tid, long ranNanos) {
        Optional<RunQueue> account = tid == 0 ? Optional.empty() : sampling.runQueue(tid);
        return account.isPresent() && account.get().ranNanos() >= ranNanos
                ? OptionalLong.of(account.get().waitedNanos())
                : OptionalLong.empty();
    }
}
