// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jline.utils.Signals;

/**
 * Takes samples and writes their intervals until the requested duration is over, the user stops it, or the
 * JVM ends. A separate thread waits for samples, so that stopping need not wait for the next one.
 */
final class Recorder {
    private static final long LOOK_NANOS = 50_000_000;

    /** Takes the intervals. */
    interface Writer {
        /** Afterwards everything so far is safe, even if this process is killed. */
        void write(Interval interval) throws IOException;
    }

    private final Sampling sampling;
    private final Writer writer;
    private final long fromMillis;
    private final long mostNanos;
    private final Consumer<Recorder> progress;
    private OptionalLong beganNanos = OptionalLong.empty(); // after the first sample that counts
    private long recordedNanos;
    private long shortestNanos = Long.MAX_VALUE; // the shortest interval so far
    private boolean stopped;
    private boolean ended;
    private boolean late;
    private Throwable failure;

    /**
     * @param fromMillis since 1970: what was before is not recorded, though samples of it may still come
     * @param mostNanos the longest duration
     * @param progress called when the first interval begins, and after each
     */
    Recorder(Sampling sampling, Writer writer, long fromMillis, long mostNanos,
            Consumer<Recorder> progress) {
        this.sampling = sampling;
        this.writer = writer;
        this.fromMillis = fromMillis;
        this.mostNanos = mostNanos;
        this.progress = progress;
    }

    /** Returns when the recording is complete or cannot continue. Nothing is written after that. */
    void run(StopRequest stop) {
        Thread taker = new Thread(() -> takeAll(stop), "samples");
        taker.setDaemon(true);
        taker.start();
        try {
            while (!stop.await(LOOK_NANOS) && !isOver()) {
                // The samples' thread works.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            stopped = true;
        }
    }

    /**
     * Whether the requested duration is over by the clock. Samples of a JVM that gets no CPU may be very
     * late: waits half an interval for the last one, but any time for the first.
     */
    private synchronized boolean isOver() {
        boolean hasFirst = shortestNanos < Long.MAX_VALUE; // of whatever length: the target says it
        late = hasFirst && mostNanos < Long.MAX_VALUE && System.nanoTime() - beganNanos.getAsLong()
                - mostNanos > Math.min(Math.max(0, shortestNanos), mostNanos) / 2;
        return late;
    }

    private void takeAll(StopRequest stop) {
        try {
            boolean more = true;
            while (more) {
                more = take(sampling.next());
            }
        } catch (IOException | RuntimeException | Error e) { // what the target sent, or too much of it
            fail(e);
        } finally {
            stop.make();
        }
    }

    /** True if the recording continues. */
    private synchronized boolean take(Optional<Interval> interval) throws IOException {
        if (stopped || isOver()) {
            return false;
        }
        ended = interval.isEmpty();
        if (beganNanos.isEmpty()) {
            if (!ended && interval.get().endMillis() >= fromMillis) {
                beganNanos = OptionalLong.of(System.nanoTime());
                progress.accept(this);
            }
            return !ended;
        }
        if (interval.isPresent()) {
            writer.write(interval.get());
            recordedNanos += interval.get().nanos();
            shortestNanos = Math.min(shortestNanos, interval.get().nanos());
            progress.accept(this);
        }
        // An interval may be slightly longer or shorter than requested.
        return !ended && recordedNanos + interval.map(Interval::nanos).orElse(0L) / 2 < mostNanos;
    }

    private synchronized void fail(Throwable e) {
        failure = stopped ? null : e;
    }

    synchronized long recordedNanos() {
        return recordedNanos;
    }

    /** The error that ended the recording, if any. */
    synchronized Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** The duration was over before the last interval, which is therefore not in the recording. */
    synchronized boolean late() {
        return late;
    }

    synchronized boolean ended() {
        return ended;
    }

    /** While open, treats Ctrl-C or SIGTERM as the user's request to stop instead of ending this program. */
    static final class StopRequest implements AutoCloseable {
        private final CountDownLatch made = new CountDownLatch(1);
        private final Map<String, Object> handlers = new HashMap<>();

        StopRequest() {
            for (String signal : List.of("INT", "TERM", "HUP")) {
                handlers.put(signal, Signals.register(signal, made::countDown));
            }
        }

        /** Waits at most this long for a request. True if there was one. */
        boolean await(long nanos) throws InterruptedException {
            return made.await(nanos, TimeUnit.NANOSECONDS);
        }

        /** Simulates a request. */
        void make() {
            made.countDown();
        }

        @Override
        public void close() {
            handlers.forEach(Signals::unregister);
        }
    }
}
