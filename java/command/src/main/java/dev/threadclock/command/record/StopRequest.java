// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/** While open, treats Ctrl-C or SIGTERM as the user's request to stop instead of ending this program. */
final class StopRequest implements AutoCloseable {
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
