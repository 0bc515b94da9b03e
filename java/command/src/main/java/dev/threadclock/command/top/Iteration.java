// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.machine.Contention;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.util.Optional;

/** What top shows at one time: an interval, the contention in it, and the host's load at its end. */
record Iteration(Interval interval, Contention contention, HostLoad host) {
    /** The successive iterations of a sampling. */
    static final class Reader {
        private final Sampling sampling;
        private Contention last;

        Reader(Sampling sampling) {
            this.sampling = sampling;
        }

        /** Waits for the end of the next interval; empty if the JVM has ended. */
        Optional<Iteration> next() throws IOException {
            if (last == null) {
                if (sampling.next().isEmpty()) {
                    return Optional.empty();
                }
                last = Contention.of(sampling.pid());
            }
            Contention before = last;
            return sampling.next().map(interval -> {
                last = Contention.of(sampling.pid());
                return new Iteration(interval, last.since(before), HostLoad.now());
            });
        }
    }
}
