// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Two threads that a tick-counting clock misjudges: one works around timer ticks, one between them. Both work
 * in user mode at chosen moments of the timer tick. Each run is in a new thread that reports its own times.
 *
 * <p>The work is a loop over System.nanoTime(), which stays in user mode; the sleeps in between cost one
 * system call each, some microseconds a round, which is the share of system time in a run (1 to 2 % around
 * ticks, less between them). So the user time equals the CPU time to that accuracy.
 *
 * <p>Other threads can delay the work to unintended moments, and if the kernel has seen a thread in only one
 * or two ticks, its split of user and system time is all or nothing. So a run that missed its moments too
 * often is repeated, regardless of what it reported.
 */
public final class TickLoads {
    private static final long LEAD_NANOS = 400_000;
    private static final long OVERRUN_NANOS = 100_000;
    private static final long LAG_NANOS = 300_000;
    private static final int ATTEMPTS = 3;

    private final ThreadMXBean bean;
    private final long tickLength;
    private final long tickPhase;

    /**
     * A System.nanoTime() is that of a tick if it leaves tickPhase when divided by tickLength (nanoseconds).
     */
    public TickLoads(ThreadMXBean bean, long tickLength, long tickPhase) {
        this.bean = bean;
        this.tickLength = tickLength;
        this.tickPhase = tickPhase;
    }

    /** Sleeps until shortly before each tick and works until shortly after it. */
    public TickRun aroundTicks(long nanos) throws InterruptedException {
        return leastDisturbed(nanos, beforeTick(), afterTick());
    }

    /** Begins shortly after each tick and stops well before the next one. */
    public TickRun betweenTicks(long nanos) throws InterruptedException {
        return leastDisturbed(nanos, lag(), lag() + tickLength * 9 / 20);
    }

    /** The same work as aroundTicks, once and in the current thread. */
    public TickRun aroundTicksHere(long nanos) {
        return work(nanos, beforeTick(), afterTick());
    }

    /** The same work as betweenTicks, once and in the current thread. */
    public TickRun betweenTicksHere(long nanos) {
        return work(nanos, lag(), lag() + tickLength * 9 / 20);
    }

    private long beforeTick() {
        return -Math.min(LEAD_NANOS, tickLength * 2 / 5);
    }

    private long afterTick() {
        return Math.min(OVERRUN_NANOS, tickLength / 10);
    }

    private long lag() {
        return Math.min(LAG_NANOS, tickLength * 3 / 10);
    }

    private TickRun leastDisturbed(long nanos, long from, long to) throws InterruptedException {
        TickRun best = inFreshThread(nanos, from, to);
        for (int attempt = 1; attempt < ATTEMPTS && best.disturbed(); attempt++) {
            TickRun next = inFreshThread(nanos, from, to);
            best = next.roundsOnTime > best.roundsOnTime ? next : best;
        }
        return best;
    }

    /** The clocks of a new thread start at zero, and so do the tick counts behind them. */
    private TickRun inFreshThread(long nanos, long from, long to) throws InterruptedException {
        AtomicReference<TickRun> result = new AtomicReference<>();
        Thread thread = new Thread(() -> result.set(work(nanos, from, to)), "worker");
        thread.start();
        thread.join();
        if (result.get() == null) {
            throw new IllegalStateException("the working thread died");
        }
        return result.get();
    }

    /** Works from tick + from to tick + to, tick after tick. */
    private TickRun work(long nanos, long from, long to) {
        int rounds = 0;
        int hits = 0;
        long now = System.nanoTime();
        long end = now + nanos;
        while (now - end < 0) {
            long tick = nextTick(now - from);
            sleepUntil(tick + from);
            long begun = System.nanoTime();
            // Woken too late: work now would be at the wrong moment.
            if (begun - (tick + to) < 0) {
                now = workUntil(tick + to);
                rounds++;
                if (from < 0 ? begun - tick < 0 : now - (tick + tickLength) < 0) {
                    hits++;
                }
            } else {
                now = begun;
            }
        }
        return readings(rounds, hits, (int) (nanos / tickLength));
    }

    /**
     * The clock of a virtual CPU goes on while its host lets it wait, so time that passes between the
     * readings can be in the CPU time alone. Then they say nothing, as if no round had been on time.
     */
    private TickRun readings(int rounds, int hits, int ticks) {
        long beforeNanos = bean.getCurrentThreadCpuTime();
        long userNanos = bean.getCurrentThreadUserTime();
        long cpuNanos = bean.getCurrentThreadCpuTime();
        boolean atOnce = cpuNanos - beforeNanos < TickRun.RESOLUTION_NANOS;
        return new TickRun(userNanos, cpuNanos, rounds, atOnce ? hits : 0, ticks);
    }

    private long nextTick(long after) {
        return after + tickLength - Math.floorMod(after - tickPhase, tickLength);
    }

    private static void sleepUntil(long moment) {
        for (long left; (left = moment - System.nanoTime()) > 0;) {
            LockSupport.parkNanos(left);
        }
    }

    private static long workUntil(long moment) {
        long now;
        do {
            now = System.nanoTime();
        } while (now - moment < 0);
        return now;
    }
}
