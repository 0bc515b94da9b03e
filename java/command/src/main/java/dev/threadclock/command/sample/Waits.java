// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.TaskFiles.RunQueue;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The intervals of a sampling, with the time that each living thread waited for a CPU. It is read from
 * outside the JVM at the end of each interval: once of all threads, and later only of those that have run,
 * because the values of the others have not changed.
 */
public final class Waits {
    private final Sampling sampling;
    private final Map<Long, Long> waited = new HashMap<>(); // by serial, since the thread's start
    private boolean begun;

    public Waits(Sampling sampling) {
        this.sampling = sampling;
    }

    /** As {@link Sampling#next()}. The first interval, which is short, has no waits. */
    public Optional<Interval> next() throws IOException {
        Optional<Interval> next = sampling.next();
        if (begun) {
            return next.map(interval -> interval.withWaits(waits(interval)));
        }
        begun = true;
        next.ifPresent(interval -> interval.threads()
                .forEach(use -> waited(use).ifPresent(nanos -> waited.put(use.serial(), nanos))));
        return next;
    }

    /**
     * The waits in the interval that has just ended, by serial. The kernel counts a wait when it ends, so
     * it may have begun in an earlier interval.
     */
    private Map<Long, Long> waits(Interval interval) {
        Map<Long, Long> waits = new HashMap<>();
        for (Use use : interval.threads()) {
            if (use.interval().totalNanos() == 0 && waited.containsKey(use.serial())) {
                waits.put(use.serial(), 0L);
                continue;
            }
            boolean isNew = use.interval().equals(use.life());
            Long before = waited.getOrDefault(use.serial(), isNew ? 0L : null);
            Optional<Long> now = waited(use);
            if (before != null && now.isPresent() && now.get() >= before) {
                waits.put(use.serial(), Math.min(interval.nanos(), now.get() - before));
            }
            now.ifPresent(nanos -> waited.put(use.serial(), nanos));
        }
        interval.ended().forEach(use -> waited.remove(use.serial()));
        return waits;
    }

    /** Empty if the thread's run time is less than it was: another thread has got its TID. */
    private Optional<Long> waited(Use use) {
        return use.tid() == 0 ? Optional.empty() : sampling.runQueue(use.tid())
                .filter(account -> account.ranNanos() >= use.life().totalNanos())
                .map(RunQueue::waitedNanos);
    }
}
