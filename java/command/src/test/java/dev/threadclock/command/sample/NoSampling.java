// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import java.util.Optional;

/** A JVM of which nothing is known. Tests override what they need. */
public class NoSampling extends Sampling {
    public NoSampling() {
        super(1, new Subject("1 (test)", "", "", ""));
    }

    @Override
    public Optional<Interval> next() {
        return Optional.empty();
    }
}
