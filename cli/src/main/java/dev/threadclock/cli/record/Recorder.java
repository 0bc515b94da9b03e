// SPDX-License-Identifier: Apache-2.0
// Takes samples and writes their intervals, until it has been long enough, the user says so, or the JVM ends.
package dev.threadclock.cli.record;

import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Intervals;
import dev.threadclock.cli.sample.Sample;
import dev.threadclock.cli.sample.Sampling;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** A thread of its own waits for the samples, so that nobody has to wait for the next one to stop. */
final class Recorder {
    private final Sampling sampling;
    private final IntervalWriter writer;
    private final long mostNanos;
    private final Consumer<Recorder> progress;
    private final Intervals intervals = new Intervals();
    private long recordedNanos;
    private boolean stopped;
    private boolean ended;
    private IOException failure;

    /** mostNanos: how long at most. progress: told after each interval. */
    Recorder(Sampling sampling, IntervalWriter writer, long mostNanos, Consumer<Recorder> progress) {
        this.sampling = sampling;
        this.writer = writer;
        this.mostNanos = mostNanos;
        this.progress = progress;
    }

    /** Returns when the recording is complete, and nothing more will be written. */
    void run(StopRequest stop) throws IOException {
        Thread taker = new Thread(() -> takeAll(stop), "samples");
        taker.setDaemon(true);
        taker.start();
        try {
            stop.await(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            stopped = true;
            if (failure != null) {
                throw failure;
            }
        }
    }

    private void takeAll(StopRequest stop) {
        try {
            boolean more = true;
            while (more) {
                more = take(sampling.next());
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            stop.make();
        }
    }

    /** True as long as it goes on. */
    private synchronized boolean take(Optional<Sample> sample) throws IOException {
        if (stopped) {
            return false;
        }
        ended = sample.isEmpty();
        Optional<Interval> interval = sample.flatMap(intervals::next);
        if (interval.isPresent()) {
            writer.write(interval.get());
            recordedNanos += interval.get().nanos();
            progress.accept(this);
        }
        // An interval is a little longer or shorter than asked for.
        return !ended && recordedNanos + interval.map(Interval::nanos).orElse(0L) / 2 < mostNanos;
    }

    private synchronized void fail(IOException e) {
        failure = stopped ? null : e;
    }

    synchronized long recordedNanos() {
        return recordedNanos;
    }

    /** The JVM did. */
    synchronized boolean ended() {
        return ended;
    }
}
