// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/** While open, treats Ctrl-C or SIGTERM as the user's request to stop instead of ending this program. */
final class StopRequest implements AutoCloseable {
    private static final String[] SIGNALS = {"INT", "TERM", "HUP"};

    private final CountDownLatch made = new CountDownLatch(1);
    private final Object[] handlers = new Object[SIGNALS.length];

    StopRequest() {
        for (int i = 0; i < SIGNALS.length; i++) {
            handlers[i] = Signals.register(SIGNALS[i], made::countDown);
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
        for (int i = 0; i < SIGNALS.length; i++) {
            Signals.unregister(SIGNALS[i], handlers[i]);
        }
    }
}
