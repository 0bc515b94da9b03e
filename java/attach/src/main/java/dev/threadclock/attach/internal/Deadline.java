// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.math.BigDecimal;
import java.time.Duration;

/** The moment at which we give up. */
final class Deadline {
    private final Duration length;
    private final long end;

    Deadline(Duration length) {
        this.length = length;
        end = System.nanoTime() + length.toNanos();
    }

    boolean overBy(long millis) {
        return System.nanoTime() - end > millis * 1_000_000;
    }

    /** Sleeps briefly; false if the deadline has passed. */
    boolean pause() {
        long left = Math.max(0, (end - System.nanoTime()) / 1_000_000);
        try {
            Thread.sleep(Math.min(10, left));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return left > 0;
    }

    /** "500 ms", "2 s", "1.5 s". */
    @Override
    public String toString() {
        long millis = length.toMillis();
        return millis < 1000 ? millis + " ms"
                : BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + " s";
    }
}
