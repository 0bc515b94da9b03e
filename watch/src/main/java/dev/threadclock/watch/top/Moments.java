// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.host.Hindrance;
import dev.threadclock.watch.host.HostLoad;
import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.Intervals;
import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.Sampling;
import java.io.IOException;
import java.util.Optional;

/** The successive intervals of a sampling, each with what kept the JVM from running. */
final class Moments {
    private final Sampling sampling;
    private final Intervals intervals = new Intervals();
    private final Waits waits;
    private Hindrance last;

    Moments(Sampling sampling) {
        this.sampling = sampling;
        waits = new Waits(sampling);
    }

    /** Waits for the end of the next interval; empty if the JVM has ended. */
    Optional<Moment> next() throws IOException {
        for (;;) {
            Optional<Sample> sample = sampling.next();
            if (sample.isEmpty()) {
                return Optional.empty();
            }
            Hindrance before = last;
            last = Hindrance.of(sampling.pid());
            Optional<Interval> interval = intervals.next(sample.get());
            if (interval.isEmpty()) {
                waits.begin(sample.get());
            } else {
                return Optional.of(new Moment(interval.get().withWaits(waits.next(interval.get())),
                        last.since(before), HostLoad.now()));
            }
        }
    }
}
