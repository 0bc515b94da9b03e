// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The CPU time of one operation that several threads work on, at once or one after the other: what each uses
 * between {@link #open()} and {@link #close()}. Made for the scopes of tracing libraries, in which a thread
 * reports only that it begins or stops working on an operation. Thread safe.
 *
 * <pre>{@code
 * CpuScopes request = new CpuScopes();
 * request.open();                     // on any thread
 * try {
 *     handle();
 * } finally {
 *     request.close();                // on the same thread
 * }
 * request.end();
 * long userNanos = request.snapshot().userNanos();
 * }</pre>
 *
 * <p>A thread may nest several scopes of one operation: its time counts once. It may also nest a scope of
 * another operation: that time counts in both.
 *
 * <p><b>Never too much.</b> If the time of a scope cannot be measured, it is dropped. The sum is then too
 * low, and {@link #isPartial()}, which lists the cases, is true. No method throws.
 *
 * <p><b>Cost.</b> Opening and closing a thread's outermost scope makes two system calls each. An operation is
 * a small object. Each open outermost scope uses a meter; up to 256 meters are kept for reuse.
 *
 * <p>Without the native library (see {@link ThreadClock#isNative()}) the values are ThreadMXBean's: user time
 * has the JVM's steps, often 10 ms, so the sums of short scopes may be too high.
 */
public final class CpuScopes {
    private static final int MOST_IDLE = 256;
    /** With this many threads in a scope, those that have ended are looked for. */
    private static final int MANY_STAYS = 16;
    /** Shared by all operations, because a new meter is expensive. */
    private static final Queue<CpuMeter> IDLE = new ArrayBlockingQueue<>(MOST_IDLE);

    private final List<Stay> stays = new ArrayList<>(1); // one for each thread in a scope
    private CpuSnapshot sum = CpuSnapshot.ZERO;
    private long intervals;
    private boolean isPartial;
    private boolean hasEnded;

    /** Creates an operation that no thread works on yet. */
    public CpuScopes() {}

    /** A thread within its outermost scope. */
    private static final class Stay {
        private final Thread thread;
        private final CpuMeter meter;
        private int scopes = 1;

        Stay(Thread thread) {
            this.thread = thread;
            CpuMeter idle = IDLE.poll();
            meter = idle != null ? idle : new CpuMeter(Freshness.NOW, null);
            meter.begin(thread);
        }

        /** What the thread, which must be the calling one, has used since. */
        CpuSnapshot end() {
            CpuSnapshot used = meter.stop().snapshot();
            meter.reset();
            IDLE.offer(meter);
            return used;
        }
    }

    /** The calling thread begins to work on the operation. After the end this does nothing. */
    public synchronized void open() {
        boolean wasPartial = isPartial;
        isPartial = true; // stays so after an Error: stack or memory may run out
        isPartial = !opened() || wasPartial;
    }

    /** False if time is missing from now on. */
    private boolean opened() {
        Stay stay = ofThisThread();
        boolean someHaveEnded = false;
        if (stay != null) {
            stay.scopes++;
        } else if (!hasEnded) {
            someHaveEnded = stays.size() >= MANY_STAYS && stays.removeIf(each -> !each.thread.isAlive());
            stays.add(new Stay(Thread.currentThread()));
        }
        return !someHaveEnded;
    }

    /**
     * The calling thread stops working on the operation, if this is its outermost scope. If it has no scope,
     * this call closes another thread's: because it is unknown which, all open scopes are dropped.
     */
    public synchronized void close() {
        boolean wasPartial = isPartial;
        isPartial = true;
        isPartial = !closed() || wasPartial;
    }

    private boolean closed() {
        Stay stay = ofThisThread();
        if (stay == null) {
            return dropAll();
        }
        return --stay.scopes > 0 || finish(stay);
    }

    /** The calling thread stops working on the operation: closes all of its scopes. */
    public synchronized void closeAll() {
        boolean wasPartial = isPartial;
        isPartial = true;
        Stay stay = ofThisThread();
        isPartial = stay != null && !finish(stay) || wasPartial;
    }

    /**
     * Ends the operation. The calling thread's open scopes end here; those of other threads are dropped.
     *
     * @return true if this was the first call
     */
    public synchronized boolean end() {
        boolean isFirst = !hasEnded;
        closeAll();
        isPartial |= !dropAll();
        hasEnded = true;
        return isFirst;
    }

    private Stay ofThisThread() {
        Thread thread = Thread.currentThread();
        for (Stay stay : stays) {
            if (stay.thread == thread) {
                return stay;
            }
        }
        return null;
    }

    private boolean finish(Stay stay) {
        stays.remove(stay);
        CpuSnapshot used = stay.end();
        if (used.userNanos() < 0 || used.systemNanos() < 0 || used.totalNanos() < 0) {
            return false;
        }
        sum = sum.plus(used);
        intervals++;
        return true;
    }

    private boolean dropAll() {
        boolean wereNone = stays.isEmpty();
        stays.clear();
        return wereNone;
    }

    /**
     * {@return the sum over all threads of the finished scopes whose time is known; user + system is at most
     * total. It exceeds what the operation used by at most 2 us per interval, because user and system have
     * steps of 1 us}
     */
    public synchronized CpuSnapshot snapshot() {
        // User and system are read in whole microseconds, so their differences may exceed that of total.
        return new CpuSnapshot(sum.userNanos(), sum.systemNanos(),
                Math.max(sum.totalNanos(), sum.userNanos() + sum.systemNanos()));
    }

    /** {@return the number of outermost scopes in the sum} */
    public synchronized long intervals() {
        return intervals;
    }

    /**
     * Whether the time of a scope is missing from the sum because it cannot be measured. Such a scope
     * <ul>
     * <li>was closed on another thread than it was opened on,
     * <li>was still open on another thread at the {@linkplain #end() end}, or when that thread ended,
     * <li>was on a virtual thread that {@link VirtualThreads} did not account for throughout,
     * <li>or was open when the process was restored from a checkpoint (CRIU, CRaC).
     * </ul>
     *
     * @return true if at least one is missing
     */
    public synchronized boolean isPartial() {
        return isPartial;
    }

    @Override
    public synchronized String toString() {
        return snapshot() + " in " + intervals + " intervals" + (isPartial ? ", partial" : "");
    }
}
