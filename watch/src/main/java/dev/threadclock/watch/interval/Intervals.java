// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.ThreadSample;
import dev.threadclock.watch.sample.Times;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts samples to intervals: the increases of the counters. */
public final class Intervals {
    private Map<Long, Times> before = Map.of(); // by serial
    private Sample last;

    /** Empty for the first sample, which has no predecessor. */
    public Optional<Interval> next(Sample sample) {
        Optional<Interval> interval = last == null ? Optional.empty()
                : Optional.of(new Interval(sample.wallMillis(),
                        sample.monotonicNanos() - last.monotonicNanos(),
                        sample.process().minus(last.process()), sample.process(),
                        uses(sample.threads()), uses(sample.ended())));
        before = new HashMap<>();
        sample.threads().forEach(thread -> before.put(thread.serial(), thread.times()));
        last = sample;
        return interval;
    }

    private List<Use> uses(List<ThreadSample> threads) {
        return threads.stream()
                .map(thread -> Use.of(thread, before.getOrDefault(thread.serial(), Times.NONE))).toList();
    }
}
