// SPDX-License-Identifier: Apache-2.0
// The moment at which a command gives up.
package dev.threadclock.cli.attach;

final class Deadline {
    private final int seconds;
    private final long end;

    Deadline(int seconds) {
        this.seconds = seconds;
        end = System.nanoTime() + seconds * 1_000_000_000L;
    }

    long leftMillis() {
        return Math.max(0, (end - System.nanoTime()) / 1_000_000);
    }

    /** Sleeps for a moment; false when the time is over. */
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
        return seconds + " s";
    }
}
