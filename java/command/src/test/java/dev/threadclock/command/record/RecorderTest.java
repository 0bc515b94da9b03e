// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.record.Recorder.StopRequest;
import dev.threadclock.command.sample.NoSampling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A recording ends by itself when it cannot continue. */
class RecorderTest {
    /** Returns an interval of a second each, forever. */
    private static class Seconds extends NoSampling {
        private long second;

        @Override
        public Optional<Interval> next() {
            second++;
            return Optional.of(new Interval(second * 1000, 1_000_000_000, CpuSnapshot.ZERO, CpuSnapshot.ZERO,
                    List.of(), List.of()));
        }
    }

    /** A disk with room for this many intervals. */
    private static final class Disk implements Recorder.Writer {
        private int room;

        Disk(int room) {
            this.room = room;
        }

        @Override
        public void write(Interval interval) throws IOException {
            if (room-- == 0) {
                throw new IOException("No space left on device");
            }
        }
    }

    @Test
    void aFullDiskKeepsWhatCameBefore() {
        try (StopRequest stop = new StopRequest()) {
            Recorder recorder = new Recorder(new Seconds(), new Disk(2), 0, Long.MAX_VALUE, recorded -> {
            });
            recorder.run(stop);
            assertThat(recorder.recordedNanos()).isEqualTo(2_000_000_000L);
            assertThat(recorder.failure()).get().extracting(Throwable::getMessage)
                    .isEqualTo("No space left on device");
            assertThat(recorder.ended()).isFalse();
        }
    }

    private static void assertKeepsWhatCameBefore(Runnable failing, String why) {
        try (StopRequest stop = new StopRequest()) {
            Recorder recorder = new Recorder(new Seconds(), interval -> {
                if (interval.endMillis() == 4000) {
                    failing.run();
                }
            }, 0, Long.MAX_VALUE, recorded -> {
            });
            recorder.run(stop);
            assertThat(recorder.recordedNanos()).isEqualTo(2_000_000_000L);
            assertThat(recorder.failure()).get().extracting(Throwable::getMessage).isEqualTo(why);
        }
    }

    @Test
    void samplesThatCannotBeTakenKeepWhatCameBefore() {
        assertKeepsWhatCameBefore(() -> {
            throw new Failure("too many threads");
        }, "too many threads");
        assertKeepsWhatCameBefore(() -> {
            throw new OutOfMemoryError("Java heap space");
        }, "Java heap space");
    }

    /** Returns two intervals; then the JVM gets no CPU. */
    private static final class Starved extends Seconds {
        private int left = 2;

        @Override
        public Optional<Interval> next() {
            while (left == 0) {
                LockSupport.park();
            }
            left--;
            return super.next();
        }
    }

    @Test
    @Timeout(60)
    void theClockEndsTheRecordingIfNoSampleComes() {
        try (StopRequest stop = new StopRequest()) {
            Recorder recorder = new Recorder(new Starved(), new Disk(9), 0, 1_600_000_000L, recorded -> {
            });
            recorder.run(stop);
            assertThat(recorder.recordedNanos()).isEqualTo(1_000_000_000L);
            assertThat(recorder.late()).isTrue();
            assertThat(recorder.failure()).isEmpty();
        }
    }

    /** Its samples leave no pause in which another thread could look at the clock, and claim no time. */
    @ParameterizedTest
    @ValueSource(longs = {1, 0, -1})
    @Timeout(60)
    void aFloodOfSamplesEndsWithTheTime(long nanos) {
        AtomicInteger written = new AtomicInteger();
        Seconds flood = new Seconds() {
            @Override
            public Optional<Interval> next() {
                return super.next().map(second -> new Interval(0, nanos, second.process(), second.life(),
                        List.of(), List.of()));
            }
        };
        try (StopRequest stop = new StopRequest()) {
            new Recorder(flood, interval -> {
                written.incrementAndGet();
                LockSupport.parkNanos(20_000_000);
            }, 0, 100_000_000, recorded -> {
            }).run(stop);
            assertThat(written.get()).isBetween(1, 7);
        }
    }

    /** So long that the real clock ends no recording of them. */
    private static Seconds lengthened(long times) {
        return new Seconds() {
            @Override
            public Optional<Interval> next() {
                return super.next().map(second -> new Interval(times * second.endMillis(),
                        times * second.nanos(), second.process(), second.life(), List.of(), List.of()));
            }
        };
    }

    /** A busy machine makes intervals longer. */
    @ParameterizedTest
    @CsvSource({"290, 3", "210, 5", "190, 5", "180, 6", "2000, 1"})
    void asManyIntervalsAreRecordedAsComeClosestToTheDuration(long seconds, int intervals) {
        AtomicInteger written = new AtomicInteger();
        try (StopRequest stop = new StopRequest()) {
            Recorder recorder = new Recorder(lengthened(seconds), interval -> written.incrementAndGet(), 0,
                    1_000_000_000_000L, recorded -> {
                    });
            recorder.run(stop);
            assertThat(written).hasValue(intervals);
            assertThat(recorder.recordedNanos()).isEqualTo(intervals * seconds * 1_000_000_000L);
            assertThat(recorder.late()).isFalse();
        }
    }

    /** The JVM's own recording began after five intervals. */
    @Test
    void samplesFromBeforeTheBeginningAreNotRecorded() {
        List<Long> ends = new ArrayList<>();
        try (StopRequest stop = new StopRequest()) {
            new Recorder(lengthened(1000), interval -> ends.add(interval.endMillis()), 5_000_000,
                    2_000_000_000_000L, recorded -> {
                    }).run(stop);
        }
        assertThat(ends).containsExactly(6_000_000L, 7_000_000L);
    }
}
