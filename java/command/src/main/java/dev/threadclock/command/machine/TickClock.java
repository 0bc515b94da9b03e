// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.internal.Native;
import dev.threadclock.command.terminal.Failure;
import java.util.Arrays;

/**
 * The times at which the kernel's timer ticks: those values of System.nanoTime() that leave the remainder
 * phaseNanos when divided by lengthNanos.
 *
 * <p>The phase is learnt by watching CLOCK_MONOTONIC_COARSE change, which happens at a tick. The clock's
 * value is no substitute: timekeeping (kernel/time/timekeeping.c) advances it in whole NTP-adjusted intervals
 * that drift against the ticks (found 0.3 ms before them, on Linux 6.18). Nor is the earliest change, because
 * a CPU that leaves its idle state updates the clock between ticks. Most changes happen at ticks, so their
 * densest cluster marks the phase.
 */
public record TickClock(long lengthNanos, long phaseNanos) {
    private static final int TICKS = 50;
    private static final long LIMIT_NANOS = 5_000_000_000L;
    /** The tick interrupt itself takes some microseconds. */
    private static final long SEEN_AT_ONCE_NANOS = 50_000;

    /** Watches 50 ticks: 0.2 s at 250 Hz. The result holds for minutes; learn it anew for each run. */
    public static TickClock learn() {
        long length = Native.tickLengthNanos();
        if (length <= 0) {
            throw new Failure(
                    "the kernel does not report its tick length (clock_getres is refused); run this where"
                            + " no filter refuses it");
        }
        long[] phases = new long[TICKS];
        for (int i = 0; i < TICKS; i++) {
            phases[i] = Math.floorMod(nextTick(), length);
        }
        return new TickClock(length, densest(phases, length, length / 50));
    }

    /** The phase that most others follow within a window, on the circle of one tick. */
    static long densest(long[] phases, long length, long window) {
        long best = phases[0];
        long most = 0;
        for (long start : phases) {
            long within = Arrays.stream(phases)
                    .filter(phase -> Math.floorMod(phase - start, length) <= window).count();
            if (within > most) {
                most = within;
                best = start;
            }
        }
        return best;
    }

    public int hertz() {
        return (int) Math.round(1e9 / lengthNanos);
    }

    /**
     * Busy-waits until the coarse clock changes and returns the time. A change that happened while another
     * thread had this CPU is noticed late and does not count.
     */
    private static long nextTick() {
        long start = System.nanoTime();
        long before = Native.coarseMonotonicNanos();
        for (long last = start;;) {
            long coarse = Native.coarseMonotonicNanos();
            long now = System.nanoTime();
            if (coarse != before && now - last < SEEN_AT_ONCE_NANOS) {
                return now;
            }
            if (coarse < 0 || now - start > LIMIT_NANOS) {
                throw new Failure(
                        "the coarse clock does not tick here, or this thread gets no CPU; the demo needs a"
                                + " Linux kernel's timer tick (gVisor has none)");
            }
            before = coarse;
            last = now;
        }
    }
}
