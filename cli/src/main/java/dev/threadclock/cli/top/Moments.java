// SPDX-License-Identifier: Apache-2.0
// The intervals of a sampling, one after the other.
package dev.threadclock.cli.top;

import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.sample.Sample;
import dev.threadclock.cli.sample.Sampling;
import dev.threadclock.cli.top.Interval.Moment;
import java.io.IOException;
import java.util.Optional;

final class Moments {
    private final Sampling sampling;
    private Optional<Moment> last = Optional.empty();

    /** The first sample is followed closely by the second, with which the intervals begin. */
    Moments(Sampling sampling) throws IOException {
        this.sampling = sampling;
        sampling.next();
    }

    /** Waits for the end of the next; empty: the JVM has ended. */
    Optional<Interval> next() throws IOException {
        for (;;) {
            Optional<Sample> sample = sampling.next();
            if (sample.isEmpty()) {
                return Optional.empty();
            }
            Optional<Moment> before = last;
            last = Optional.of(new Moment(sample.get(), Hindrance.of(sampling.pid())));
            if (before.isPresent()) {
                return Optional.of(Interval.between(before.get(), last.get()));
            }
        }
    }
}
