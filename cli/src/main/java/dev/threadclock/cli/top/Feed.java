// SPDX-License-Identifier: Apache-2.0
// Takes in the intervals as they come, so that keys are answered meanwhile.
package dev.threadclock.cli.top;

import dev.threadclock.cli.sample.Sampling;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

final class Feed {
    private final AtomicReference<Moment> newest = new AtomicReference<>();
    private volatile boolean over;
    private volatile IOException failure;

    /** Ends with the sampling. */
    Feed(Sampling sampling) {
        Thread reader = new Thread(() -> read(sampling), "samples");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Sampling sampling) {
        try {
            Moments moments = new Moments(sampling);
            for (Optional<Moment> next = moments.next(); next.isPresent(); next = moments.next()) {
                newest.set(next.get());
            }
        } catch (IOException e) {
            failure = e;
        }
        over = true;
    }

    /** If there is one that has not been taken yet. */
    Optional<Moment> newest() {
        return Optional.ofNullable(newest.getAndSet(null));
    }

    /** The JVM has ended. */
    boolean isOver() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return over;
    }
}
