// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Message.Moment;
import dev.threadclock.command.sample.Message.Ran;
import dev.threadclock.command.sample.Message.Row;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The wait for a CPU is that of the right thread and interval, or unknown. */
class WaitsTest {
    private final ThreadBook book = new ThreadBook(tid -> 'S');
    private Message message = new Message();
    private long nanos;

    /** A thread whose TID is its serial. */
    private WaitsTest started(long serial, long ranNanos, long waitedNanos) {
        message.rows.add(new Row(serial, (int) serial, 0, false, '?', "worker-" + serial));
        return ran(serial, ranNanos, waitedNanos);
    }

    private WaitsTest ran(long serial, long ranNanos, long waitedNanos) {
        message.ran.add(new Ran(serial, new CpuSnapshot(ranNanos, 0, ranNanos), waitedNanos));
        return this;
    }

    /** The interval of 1,000 ns that ends now. */
    private Interval next() {
        nanos += 1_000;
        message.moment = Optional.of(new Moment(0, nanos, new CpuSnapshot(0, 0, 0)));
        Interval interval = book.take(message).orElseThrow();
        message = new Message();
        return interval;
    }

    @Test
    void aThreadThatHasNotRunHasNotWaited() {
        started(1, 100, 50).started(2, 100, 70).next();
        assertThat(ran(1, 130, 58).next().threads()).extracting(Use::waitNanos).containsExactly(8L, 0L);
        assertThat(ran(1, 131, 59).next().threads()).extracting(Use::waitNanos).containsExactly(1L, 0L);
    }

    @Test
    void aNewThreadHasWaitedSinceItsStart() {
        next();
        assertThat(started(1, 10, 3).next().threads()).extracting(Use::waitNanos).containsExactly(3L);
    }

    /** The sampler found another thread with its TID, or the kernel does not count. */
    @Test
    void whatIsUnknownIsNotMeasured() {
        started(1, 100, 50).started(2, 100, -1).next();
        assertThat(ran(1, 120, -3).ran(2, 120, 60).next().threads()).extracting(Use::waitNanos)
                .containsExactly(Use.NOT_MEASURED, Use.NOT_MEASURED);
        assertThat(ran(1, 140, 57).ran(2, 140, 50).next().threads()).extracting(Use::waitNanos)
                .containsExactly(7L, Use.NOT_MEASURED);
    }

    /** The kernel counts it when it ends: it may have begun before the interval. */
    @Test
    void aWaitIsWholeInTheIntervalInWhichItEnds() {
        started(1, 100, 50).next();
        assertThat(ran(1, 101, 1161).next().threads()).extracting(Use::waitNanos).containsExactly(1111L);
    }

    /** A thread that ends between two samples is sent at once, and with it what the others have used. */
    @Test
    void waitsThatComeBeforeTheSampleAreOfItsInterval() {
        started(1, 100, 50).next();
        ran(1, 120, 53);
        assertThat(book.take(message)).isEmpty();
        message = new Message();
        assertThat(ran(1, 130, 58).next().threads()).extracting(Use::waitNanos).containsExactly(8L);
    }

    @Test
    void aPoolHasTheSumOfWhatIsKnown() {
        started(1, 100, 50).started(2, 100, 50).started(3, 100, -1).next();
        assertThat(ran(1, 200, 51).ran(2, 200, 52).ran(3, 200, -1).next().byPool())
                .extracting(Use::waitNanos).containsExactly(3L);
    }
}
