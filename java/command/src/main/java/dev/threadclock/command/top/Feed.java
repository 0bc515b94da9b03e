// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Receives the intervals in a separate thread, so that keys are handled meanwhile. */
final class Feed {
    private final AtomicReference<Moment> newest = new AtomicReference<>();
    private volatile boolean over;
    private volatile IOException failure;

    /** The thread ends when the sampling ends. */
    Feed(Sampling sampling) {
        Thread reader = new Thread(() -> read(sampling), "samples");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Sampling sampling) {
        try {
            Moment.Reader moments = new Moment.Reader(sampling);
            for (Optional<Moment> next = moments.next(); next.isPresent(); next = moments.next()) {
                newest.set(next.get());
            }
        } catch (IOException e) {
            failure = e;
        }
        over = true;
    }

    /** The newest moment; empty if it has been taken before. */
    Optional<Moment> newest() {
        return Optional.ofNullable(newest.getAndSet(null));
    }

    boolean isOver() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return over;
    }
}
