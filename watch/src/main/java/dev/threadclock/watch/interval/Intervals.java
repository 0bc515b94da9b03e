// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.ThreadSample;
import dev.threadclock.watch.sample.VirtualSample;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Converts samples to intervals by computing the increases of their counters. */
public final class Intervals {
    private Map<Long, CpuSnapshot> before = Map.of(); // by serial
    private Sample last;
    private VirtualSample lastVirtual;
    private CpuSnapshot carriers = CpuSnapshot.ZERO; // since virtual threads were last read

    /** Empty for the first sample, which has no predecessor. */
    public Optional<Interval> next(Sample sample) {
        carriers = carriers.plus(carriers(sample));
        Optional<Interval> interval = last == null ? Optional.empty()
                : Optional.of(new Interval(sample.wallMillis(),
                        sample.monotonicNanos() - last.monotonicNanos(),
                        sample.process().minus(last.process()), sample.process(),
                        uses(sample.threads()), uses(sample.ended()),
                        sample.virtual()
                                .filter(now -> lastVirtual != null && lastVirtual.epoch() == now.epoch())
                                .map(this::virtual)));
        before = new HashMap<>();
        sample.threads().forEach(thread -> before.put(thread.serial(), thread.times()));
        last = sample;
        if (sample.virtual().isPresent()) {
            lastVirtual = sample.virtual().get();
            carriers = CpuSnapshot.ZERO;
        }
        return interval;
    }

    /** What virtual threads have used since they were last read. */
    private VirtualUse virtual(VirtualSample now) {
        Map<String, CpuSnapshot> groupsBefore = new HashMap<>();
        lastVirtual.groups().forEach(group -> groupsBefore.put(group.name(), group.times()));
        List<Use> groups = now.groups().stream()
                .map(group -> Use.of(group, groupsBefore.getOrDefault(group.name(), CpuSnapshot.ZERO)))
                .toList();
        return new VirtualUse(now.monotonicNanos() - lastVirtual.monotonicNanos(), groups, carriers);
    }

    private CpuSnapshot carriers(Sample sample) {
        return Stream.concat(sample.threads().stream(), sample.ended().stream())
                .filter(ThreadSample::carrier)
                .map(thread -> thread.times().minus(before.getOrDefault(thread.serial(), CpuSnapshot.ZERO)))
                .reduce(CpuSnapshot.ZERO, CpuSnapshot::plus);
    }

    private List<Use> uses(List<ThreadSample> threads) {
        return threads.stream()
                .map(thread -> Use.of(thread, before.getOrDefault(thread.serial(), CpuSnapshot.ZERO)))
                .toList();
    }
}
