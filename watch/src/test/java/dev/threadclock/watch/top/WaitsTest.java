// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.Intervals;
import dev.threadclock.watch.interval.Use;
import dev.threadclock.watch.sample.NoSampling;
import dev.threadclock.watch.sample.RunQueue;
import dev.threadclock.watch.sample.Sample;
import dev.threadclock.watch.sample.ThreadSample;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The wait for a CPU is that of the right thread and interval, or unknown. */
class WaitsTest {
    private final Map<Integer, RunQueue> kernel = new HashMap<>(); // by TID
    private final Intervals intervals = new Intervals();
    private int reads;
    private final Waits waits = new Waits(new NoSampling() {
        @Override
        public Optional<RunQueue> runQueue(int tid) {
            reads++;
            return Optional.ofNullable(kernel.get(tid));
        }
    });

    /** A sample of threads whose serials and TIDs are numbered from 1. */
    private static Sample sample(long... totalNanos) {
        List<ThreadSample> threads = IntStream.range(0, totalNanos.length)
                .mapToObj(i -> new ThreadSample(i + 1, i + 1, i + 1,
                        "worker-" + i, "", 'R', new CpuSnapshot(totalNanos[i], 0, totalNanos[i])))
                .toList();
        return new Sample(0, 1_000, CpuSnapshot.ZERO, threads, List.of());
    }

    private Interval next(Sample sample) {
        Interval interval = intervals.next(sample).orElseThrow();
        return interval.withWaits(waits.next(interval));
    }

    private void begin(Sample sample) {
        assertThat(intervals.next(sample)).isEmpty();
        waits.begin(sample);
        reads = 0;
    }

    @Test
    void onlyThreadsThatHaveRunAreRead() {
        kernel.put(1, new RunQueue(100, 50));
        kernel.put(2, new RunQueue(100, 70));
        begin(sample(100, 100));
        kernel.put(1, new RunQueue(130, 58));
        assertThat(next(sample(130, 100)).threads()).extracting(Use::waitNanos).containsExactly(8L, 0L);
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void aNewThreadHasWaitedSinceItsStart() {
        begin(sample());
        kernel.put(1, new RunQueue(10, 3));
        assertThat(next(sample(10)).threads()).extracting(Use::waitNanos).containsExactly(3L);
    }

    @Test
    void anotherThreadWithTheSameTidIsNotMistakenForIt() {
        kernel.put(1, new RunQueue(100, 50));
        begin(sample(100));
        kernel.put(1, new RunQueue(5, 60)); // has run less: another thread
        assertThat(next(sample(120)).threads()).extracting(Use::waitNanos).containsExactly(Use.NOT_MEASURED);
    }

    @Test
    void aPoolHasTheSumOfWhatIsKnown() {
        kernel.put(1, new RunQueue(100, 50));
        kernel.put(2, new RunQueue(100, 50));
        begin(sample(100, 100, 100));
        kernel.put(1, new RunQueue(200, 51));
        kernel.put(2, new RunQueue(200, 52));
        assertThat(next(sample(200, 200, 200)).byPool()).extracting(Use::waitNanos).containsExactly(3L);
    }
}
