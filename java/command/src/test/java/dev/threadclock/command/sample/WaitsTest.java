// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.TaskFiles.RunQueue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The wait for a CPU is that of the right thread and interval, or unknown. */
class WaitsTest {
    private final Map<Integer, RunQueue> kernel = new HashMap<>(); // by TID
    private final Queue<Interval> intervals = new ArrayDeque<>();
    private long[] before = {};
    private int reads;
    private final Waits waits = new Waits(new NoSampling() {
        @Override
        public Optional<Interval> next() {
            return Optional.of(intervals.remove());
        }

        @Override
        Optional<RunQueue> runQueue(int tid) {
            reads++;
            return Optional.ofNullable(kernel.get(tid));
        }
    });

    /** Adds an interval of threads whose serials and TIDs are numbered from 1. */
    private void add(long... lifeNanos) {
        List<Use> threads = IntStream.range(0, lifeNanos.length).mapToObj(i -> {
            long used = lifeNanos[i] - (i < before.length ? before[i] : 0);
            return new Use("worker-" + i, i + 1, i + 1, i + 1, 'R', 1, new CpuSnapshot(used, 0, used),
                    new CpuSnapshot(lifeNanos[i], 0, lifeNanos[i]));
        }).toList();
        before = lifeNanos;
        intervals.add(new Interval(0, 1_000, CpuSnapshot.ZERO, CpuSnapshot.ZERO, threads, List.of()));
    }

    private void begin(long... lifeNanos) throws IOException {
        next(lifeNanos);
        next(lifeNanos);
        reads = 0;
    }

    private Interval next(long... lifeNanos) throws IOException {
        add(lifeNanos);
        return waits.next().orElseThrow();
    }

    @Test
    void onlyThreadsThatHaveRunAreRead() throws IOException {
        kernel.put(1, new RunQueue(100, 50));
        kernel.put(2, new RunQueue(100, 70));
        begin(100, 100);
        kernel.put(1, new RunQueue(130, 58));
        assertThat(next(130, 100).threads()).extracting(Use::waitNanos).containsExactly(8L, 0L);
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void aNewThreadHasWaitedSinceItsStart() throws IOException {
        begin();
        kernel.put(1, new RunQueue(10, 3));
        assertThat(next(10).threads()).extracting(Use::waitNanos).containsExactly(3L);
    }

    @Test
    void anotherThreadWithTheSameTidIsNotMistakenForIt() throws IOException {
        kernel.put(1, new RunQueue(100, 50));
        begin(100);
        kernel.put(1, new RunQueue(5, 60)); // has run less: another thread
        assertThat(next(120).threads()).extracting(Use::waitNanos).containsExactly(Use.NOT_MEASURED);
    }

    /** The kernel counts it when it ends: it may have begun before the interval, which is 1,000 ns long. */
    @Test
    void aWaitIsNotLongerThanItsInterval() throws IOException {
        kernel.put(1, new RunQueue(100, 50));
        begin(100);
        kernel.put(1, new RunQueue(101, 1161));
        assertThat(next(101).threads()).extracting(Use::waitNanos).containsExactly(1000L);
    }

    @Test
    void aPoolHasTheSumOfWhatIsKnown() throws IOException {
        kernel.put(1, new RunQueue(100, 50));
        kernel.put(2, new RunQueue(100, 50));
        begin(100, 100, 100);
        kernel.put(1, new RunQueue(200, 51));
        kernel.put(2, new RunQueue(200, 52));
        assertThat(next(200, 200, 200).byPool()).extracting(Use::waitNanos).containsExactly(3L);
    }
}
