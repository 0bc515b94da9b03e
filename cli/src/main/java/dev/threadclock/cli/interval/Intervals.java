// SPDX-License-Identifier: Apache-2.0
// Makes intervals of samples: what counters have grown by.
package dev.threadclock.cli.interval;

import dev.threadclock.cli.sample.Sample;
import dev.threadclock.cli.sample.ThreadSample;
import dev.threadclock.cli.sample.Times;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

public final class Intervals {
    private static final Times NOTHING = new Times(0, 0, 0);

    private Map<Long, Times> before = Map.of(); // by serial
    private Sample last;

    /** Empty for the first sample: nothing to compare it with. */
    public Optional<Interval> next(Sample sample) {
        Map<Long, Times> now = new HashMap<>();
        List<Share> shares = new ArrayList<>();
        for (ThreadSample thread : sample.threads()) {
            add(thread, shares);
            now.put(thread.serial(), times(thread));
        }
        sample.ended().forEach(thread -> add(thread, shares));
        Optional<Interval> interval = last == null ? Optional.empty() : Optional.of(new Interval(sample.wallMillis(),
                sample.monotonicNanos() - last.monotonicNanos(), difference(sample.process(), last.process()), shares));
        before = now;
        last = sample;
        return interval;
    }

    private void add(ThreadSample thread, List<Share> shares) {
        Times used = difference(times(thread), before.getOrDefault(thread.serial(), NOTHING));
        if (used.totalNanos() > 0) {
            shares.add(new Share(thread.tid(), thread.javaId(), thread.name(), used));
        }
    }

    private static Times times(ThreadSample thread) {
        return new Times(thread.userNanos(), thread.systemNanos(), thread.totalNanos());
    }

    private static Times difference(Times later, Times earlier) {
        return new Times(later.userNanos() - earlier.userNanos(), later.systemNanos() - earlier.systemNanos(),
                later.totalNanos() - earlier.totalNanos());
    }
}
