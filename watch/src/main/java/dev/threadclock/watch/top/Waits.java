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
 * How long threads waited for a CPU in each interval, read from outside the JVM. All threads are read once,
 * and later only those that have run, because the values of the others have not changed.
 */
final class Waits {
    private final Sampling sampling;
    private final Map<Long, Long> waited = new HashMap<>(); // by serial, since the thread's start

    Waits(Sampling sampling) {
        this.sampling = sampling;
    }

    /** Takes the sample that precedes the first interval. */
    void begin(Sample sample) {
        for (ThreadSample thread : sample.threads()) {
            waited(thread.tid(), thread.times().totalNanos())
                    .ifPresent(nanos -> waited.put(thread.serial(), nanos));
        }
    }

    /** The waits in the interval that has just ended, by serial. */
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

    /** ranNanos: the thread's run time before. If it is less now, another thread has got its TID. */
    private OptionalLong waited(int tid, long ranNanos) {
        Optional<RunQueue> account = tid == 0 ? Optional.empty() : sampling.runQueue(tid);
        return account.isPresent() && account.get().ranNanos() >= ranNanos
                ? OptionalLong.of(account.get().waitedNanos())
                : OptionalLong.empty();
    }
}
