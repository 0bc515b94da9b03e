// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The CPU time of one operation that several threads work on, at once or one after the other: what each uses
 * between {@link #open()} and {@link #close()}. For the scopes of tracing libraries, in which a thread says
 * only that it begins or ceases to work on an operation. Thread safe.
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
 * <p>A thread may open several scopes of one operation within each other: its time counts once. The scopes of
 * another operation may lie within: that time counts in both.
 *
 * <p><b>Never too much.</b> If the time of a scope cannot be measured, it is dropped. The sum then lacks
 * something, and {@link #isPartial()} says so, and when that happens. No method throws.
 *
 * <p><b>Cost.</b> The kernel is asked when a thread opens its outermost scope and when it closes it: two
 * system calls each. An operation is a small object. Each open scope uses a meter; some hundred of them stay
 * in memory, to be used again.
 *
 * <p>Without the native library (see {@link ThreadClock#isNative()}) the values are ThreadMXBean's: user time
 * is as coarse as the JVM's, often in steps of 10 ms, so that the sums of short scopes may be too high.
 */
public final class CpuScopes {
    private static final int MOST_IDLE = 256;
    /** With more threads in a scope it is worth a look whether some have ended. */
    private static final int MANY_STAYS = 16;
    /** Of all operations: a new one is expensive. */
    private static final Queue<CpuMeter> IDLE = new ArrayBlockingQueue<>(MOST_IDLE);

    private final List<Stay> stays = new ArrayList<>(1); // of the threads that are in a scope now
    private CpuSnapshot sum = new CpuSnapshot(0, 0, 0);
    private long intervals;
    private boolean isPartial;
    private boolean hasEnded;

    /** Creates an operation that no thread works on so far. */
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

        /** What the thread, which is the calling one, has used since. */
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
        isPartial = true; // as long as an Error may come: no stack or memory may be left
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
     * The calling thread ceases to work on the operation, if this is its outermost scope. Without a scope of
     * this thread, it is another's that is closed here: since nothing says which, all that are open are
     * dropped.
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

    /** The calling thread ceases to work on the operation, however many scopes it has open: closes them. */
    public synchronized void closeAll() {
        boolean wasPartial = isPartial;
        isPartial = true;
        Stay stay = ofThisThread();
        isPartial = stay != null && !finish(stay) || wasPartial;
    }

    /**
     * The operation is over. Scopes that the calling thread has open end here, those of other threads are
     * dropped.
     *
     * @return true for the first end
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
     * {@return the sum over all threads of the finished scopes whose time is known, in which user and system
     * are together never more than total. At most what the operation used, but for 2 us an interval, because
     * user and system have steps of 1 us}
     */
    public synchronized CpuSnapshot snapshot() {
        // User and system are read in whole microseconds: their difference may be ahead of total's.
        return new CpuSnapshot(sum.userNanos(), sum.systemNanos(),
                Math.max(sum.totalNanos(), sum.userNanos() + sum.systemNanos()));
    }

    /** {@return the number of intervals in that sum: outermost scopes} */
    public synchronized long intervals() {
        return intervals;
    }

    /**
     * Whether the time of a scope is missing in the sum, because it cannot be measured. Such a scope
     * <ul>
     * <li>was closed on another thread than it was opened on,
     * <li>was still open on another thread at the {@linkplain #end() end}, or when that thread ended,
     * <li>was on a virtual thread that {@link VirtualThreads} did not account for all the while,
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
