// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/** How old a reading may be, which determines what it costs. */
public enum Freshness {
    /**
     * As of the last timer tick, at most about two ticks old; no system call except one in the first read
     * after a tick.
     */
    TICK,
    /** As of this moment: the kernel is asked at each read. */
    NOW,
    /**
     * As of this moment, {@link Quantity#TOTAL} only: extrapolated with the processor's counter; the kernel
     * is asked only after a thread switch or 1 ms.
     */
    INTERPOLATED
}
