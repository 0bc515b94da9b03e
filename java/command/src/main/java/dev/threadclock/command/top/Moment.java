// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.machine.Hindrance;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.TaskFiles.RunQueue;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What top shows at one time: an interval, what hindered the JVM in it, and the host's load at its end. */
record Moment(Interval interval, Hindrance hindrance, HostLoad host) {
    /**
     * The successive moments of a sampling. In each interval it reads from outside the JVM how long threads
     * waited for a CPU: once of all threads, and later only of those that have run, because the values of the
     * others have not changed.
     */
    static final class Reader {
        private final Sampling sampling;
        private final Map<Long, Long> waited = new HashMap<>(); // by serial, since the thread's start
        private Hindrance last;

        Reader(Sampling sampling) {
            this.sampling = sampling;
        }

        /** Waits for the end of the next interval; empty if the JVM has ended. */
        Optional<Moment> next() throws IOException {
            if (last == null) {
                Optional<Interval> first = sampling.next();
                if (first.isEmpty()) {
                    return Optional.empty();
                }
                last = Hindrance.of(sampling.pid());
                first.get().threads().forEach(
                        use -> waited(use).ifPresent(nanos -> waited.put(use.serial(), nanos)));
            }
            Hindrance before = last;
            return sampling.next().map(interval -> {
                last = Hindrance.of(sampling.pid());
                return new Moment(interval.withWaits(waits(interval)), last.since(before), HostLoad.now());
            });
        }

        /** The waits in the interval that has just ended, by serial. */
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
                    waits.put(use.serial(), now.get() - before);
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
}
