// SPDX-License-Identifier: Apache-2.0
// How old a reading may be, and what it costs for that.
package dev.threadclock;

/** How old a reading may be. */
public enum Freshness {
    /** As of the last timer tick, at most about two ticks old; no system call, but for one in the first read after a tick. */
    TICK,
    /** As of this moment: the kernel is asked at each read. */
    NOW,
    /** As of this moment, of {@link Quantity#TOTAL} only: the kernel is asked after a thread switch or 1 ms, the counter else. */
    INTERPOLATED
}
