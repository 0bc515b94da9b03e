// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.probe;

import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Two honest threads that a tick-counting clock misjudges: one works around timer ticks, one works between
 * them. The work is in user mode at chosen moments of the timer tick; each run is in a fresh thread that
 * reports its own times.
 *
 * <p>The work is a loop over System.nanoTime(), which stays in user mode; the sleeps in between cost one
 * system call each, some microseconds a round, which is the share of system time in a run (1 to 2 % around
 * ticks, less between them). So the user time equals the CPU time to that accuracy.
 *
 * <p>Other threads can delay the work to unintended moments, and if the kernel has seen a thread in only one
 * or two ticks, its split of user and system time is all or nothing. So a run that missed its moments too
 * often is repeated, regardless of what it reported.
 */
final class TickLoads {
    private static final long LEAD_NANOS = 400_000;
    private static final long OVERRUN_NANOS = 100_000;
    private static final long LAG_NANOS = 300_000;
    private static final int ATTEMPTS = 3;
    private static final double ON_TIME = 0.97;

    private final ThreadMXBean bean;
    private final long tickLength;
    private final long tickPhase;

    /**
     * A moment of System.nanoTime() is a tick if it leaves tickPhase when divided by tickLength; both in
     * nanoseconds.
     */
    public TickLoads(ThreadMXBean bean, long tickLength, long tickPhase) {
        this.bean = bean;
        this.tickLength = tickLength;
        this.tickPhase = tickPhase;
    }

    /** What a thread reports about itself after its work. */
    public static final class Result {
        /** getCurrentThreadUserTime(). */
        public final long userNanos;
        /** getCurrentThreadCpuTime(), read after it. */
        public final long cpuNanos;
        /** How often the thread worked. */
        public final int rounds;
        /**
         * In how many rounds it was at work during the tick (around), or stopped before the next one
         * (between).
         */
        public final int hits;
        /** The number of ticks, each an opportunity for a round. */
        public final int ticks;

        Result(long userNanos, long cpuNanos, int rounds, int hits, int ticks) {
            this.userNanos = userNanos;
            this.cpuNanos = cpuNanos;
            this.rounds = rounds;
            this.hits = hits;
            this.ticks = ticks;
        }

        boolean undisturbed() {
            return hits >= ON_TIME * ticks;
        }

        @Override
        public String toString() {
            return userNanos + " " + cpuNanos + " " + rounds + " " + hits + " " + ticks;
        }
    }

    /** Sleeps until shortly before each tick and works until shortly after it. */
    public Result aroundTicks(long nanos) throws InterruptedException {
        return leastDisturbed(nanos, beforeTick(), afterTick());
    }

    /** Begins shortly after each tick and stops well before the next one. */
    public Result betweenTicks(long nanos) throws InterruptedException {
        return leastDisturbed(nanos, lag(), lag() + tickLength * 9 / 20);
    }

    /** The same work as aroundTicks, once and in the current thread. */
    public Result aroundTicksHere(long nanos) {
        return work(nanos, beforeTick(), afterTick());
    }

    /** The same work as betweenTicks, once and in the current thread. */
    public Result betweenTicksHere(long nanos) {
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

    private Result leastDisturbed(long nanos, long from, long to) throws InterruptedException {
        Result best = inFreshThread(nanos, from, to);
        for (int attempt = 1; attempt < ATTEMPTS && !best.undisturbed(); attempt++) {
            Result next = inFreshThread(nanos, from, to);
            best = next.hits > best.hits ? next : best;
        }
        return best;
    }

    /** The clocks of a new thread start at zero, and so do the tick counts behind them. */
    private Result inFreshThread(long nanos, long from, long to) throws InterruptedException {
        AtomicReference<Result> result = new AtomicReference<>();
        Thread thread = new Thread(() -> result.set(work(nanos, from, to)), "worker");
        thread.start();
        thread.join();
        if (result.get() == null) {
            throw new IllegalStateException("the working thread died");
        }
        return result.get();
    }

    /** Works from tick + from to tick + to, tick after tick. */
    private Result work(long nanos, long from, long to) {
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
        long userNanos = bean.getCurrentThreadUserTime();
        return new Result(userNanos, bean.getCurrentThreadCpuTime(), rounds, hits,
                (int) (nanos / tickLength));
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
