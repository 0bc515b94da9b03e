// SPDX-License-Identifier: Apache-2.0
// Ctrl-C or SIGTERM as the user's word that it is enough, instead of this program's end.
package dev.threadclock.cli.record;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/** From its making to its closing. */
final class StopRequest implements AutoCloseable {
    private static final String[] SIGNALS = {"INT", "TERM", "HUP"};

    private final CountDownLatch made = new CountDownLatch(1);
    private final Object[] handlers = new Object[SIGNALS.length];

    StopRequest() {
        for (int i = 0; i < SIGNALS.length; i++) {
            handlers[i] = Signals.register(SIGNALS[i], made::countDown);
        }
    }

    /** Waits so long for one; true when it has come. */
    boolean await(long nanos) throws InterruptedException {
        return made.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** As if it had come. */
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
