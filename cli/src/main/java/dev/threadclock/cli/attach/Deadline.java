// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.attach;

/** The moment at which a command gives up. */
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
        return seconds + " s";
    }
}
