// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.machine.Hindrance;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.sample.Sampling;
import dev.threadclock.command.sample.Waits;
import java.io.IOException;
import java.util.Optional;

/** What top shows at one time: an interval, what hindered the JVM in it, and the host's load at its end. */
record Moment(Interval interval, Hindrance hindrance, HostLoad host) {
    /** The successive moments of a sampling. */
    static final class Reader {
        private final Sampling sampling;
        private final Waits intervals;
        private Hindrance last;

        Reader(Sampling sampling) {
            this.sampling = sampling;
            intervals = new Waits(sampling);
        }

        /** Waits for the end of the next interval; empty if the JVM has ended. */
        Optional<Moment> next() throws IOException {
            if (last == null) {
                if (intervals.next().isEmpty()) {
                    return Optional.empty();
                }
                last = Hindrance.of(sampling.pid());
            }
            Hindrance before = last;
            return intervals.next().map(interval -> {
                last = Hindrance.of(sampling.pid());
                return new Moment(interval, last.since(before), HostLoad.now());
            });
        }
    }
}
