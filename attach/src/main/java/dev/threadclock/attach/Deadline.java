// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.TimeSpan;
import java.time.Duration;

/** The moment at which a command gives up. */
final class Deadline {
    private final Duration length;
    private final long end;

    Deadline(Duration length) {
        this.length = length;
        end = System.nanoTime() + length.toNanos();
    }

    Deadline(int seconds) {
        this(Duration.ofSeconds(seconds));
    }

    /** The same length, from now on. */
    Deadline anew() {
        return new Deadline(length);
    }

    long leftMillis() {
        return Math.max(0, (end - System.nanoTime()) / 1_000_000);
    }

    /** Sleeps briefly; false if the deadline has passed. */
    boolean pause() {
        long left = leftMillis();
        try {
            Thread.sleep(Math.min(10, left));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return left > 0;
    }

    @Override
    public String toString() {
        return TimeSpan.text(length);
    }
}
