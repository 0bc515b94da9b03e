// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;

/**
 * A stopwatch for the user, system, total and elapsed time of a piece of work on one thread.
 *
 * <pre>{@code
 * CpuMeter meter = new CpuMeter();
 * try (CpuMeter running = meter.start()) {
 *     work();
 * }
 * long userNanos = meter.userNanos();
 * }</pre>
 *
 * <p>A meter may be started and stopped many times; it returns the sums over its finished intervals. Meters
 * may be nested: the outer one includes the inner. For a task on several threads, create one meter per
 * thread, all with the same {@link CpuTotals}. Starting and stopping allocate nothing.
 *
 * <p><b>Freshness.</b> With {@link Freshness#TICK}, the default, all four values are as of timer ticks: a
 * start and stop cost less than four reads of {@link ThreadClock#userNanos()} and usually make no system
 * call. A single short interval may measure 0 or a whole tick (4 ms at 250 Hz). Sums over many intervals are
 * right as long as the thread keeps running between them. If it waits there, as the threads of a pool do for
 * their next task, the sums are far too low: what an interval used after its last tick is not known at its
 * end, but is at the beginning of the next one. With {@link Freshness#NOW} the kernel is asked at each end,
 * and elapsed time comes from {@link System#nanoTime()}.
 *
 * <p><b>One thread.</b> An interval must end on the thread that began it. A stop on another thread throws and
 * changes nothing. On a virtual thread an interval may span blocking calls and change carriers, while
 * {@link VirtualThreads} accounts for virtual threads; otherwise starting a meter on one throws. If
 * accounting is switched off during an interval, its CPU time is unknown: the sums are -1 from then on.
 *
 * <p><b>Restored processes.</b> When a process is checkpointed and restored (CRIU, CRaC), the kernel counts
 * its threads' time from zero again. The CPU time of an interval that spans a restore is therefore unknown:
 * the sums are -1 from then on.
 */
public final class CpuMeter implements AutoCloseable {
    /**
     * An unknown difference. It cannot be -1: without the native library, system time is total minus the
     * JVM's coarse user time. That decreases now and then, so an interval's difference may have to be
     * negative for the sum to be right.
     */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final Clocks CLOCKS = Clocks.CLOCKS;

    private final boolean now;
    private final CpuTotals totals;
    private final Reading reading = new Reading();
    private Thread owner; // null when not running
    private long userStart;
    private long systemStart;
    long totalStart; // package-private for a test
    private long wallStart;
    private long accountStart;
    private long user;
    private long system;
    private long total;
    private long wall;
    private long intervals;

    /** Creates a meter of freshness {@link Freshness#TICK}. */
    public CpuMeter() {
        this(Freshness.TICK, null);
    }

    /**
     * Creates a meter of the totals' freshness that adds each finished interval to them.
     *
     * @param totals the sums of a task, shared with the meters of its other threads; may be null, and the
     *     freshness is then {@link Freshness#TICK}
     */
    public CpuMeter(CpuTotals totals) {
        this(totals == null ? Freshness.TICK : totals.freshness(), totals);
    }

    /**
     * Creates a meter of the given freshness that adds each finished interval to the totals.
     *
     * @param freshness {@link Freshness#TICK} or {@link Freshness#NOW}
     * @param totals the sums of a task; may be null
     * @throws IllegalArgumentException if freshness is {@link Freshness#INTERPOLATED}, which is available for
     *     total only
     */
    public CpuMeter(Freshness freshness, CpuTotals totals) {
        this.now = measurable(freshness) == Freshness.NOW;
        this.totals = totals;
    }

    static Freshness measurable(Freshness freshness) {
        if (freshness == Freshness.INTERPOLATED) {
            throw new IllegalArgumentException(
                    "a meter's freshness is TICK or NOW: only total can be interpolated");
        }
        return freshness;
    }

    /**
     * Begins an interval on the calling thread.
     *
     * @return this meter, for try-with-resources
     * @throws IllegalStateException if the meter is running, or on a virtual thread that is not accounted for
     */
    public CpuMeter start() {
        Thread thread = Thread.currentThread();
        if (owner != null) {
            throw new IllegalStateException("this meter was started already, by thread " + owner.getName()
                    + "; stop it first, or use a meter for each");
        }
        if (JavaThread.isCarried(thread) && !VirtualThreads.isAccounting()) {
            throw new IllegalStateException("the CPU time of virtual threads is not accounted for: call"
                    + " VirtualThreads.startAccounting() first, or start the agent with virtual=on");
        }
        return begin(thread);
    }

    /** Like start, but on a virtual thread that is not accounted for, the times will be unknown. */
    CpuMeter begin(Thread thread) {
        read(thread);
        userStart = reading.userNanos;
        systemStart = reading.systemNanos;
        totalStart = reading.totalNanos;
        wallStart = reading.wallNanos;
        accountStart = reading.account;
        owner = thread;
        return this;
    }

    /**
     * Ends the interval that this thread began, and adds it to the sums.
     *
     * @return this meter
     * @throws IllegalStateException if the meter is not running or was started by another thread; in the
     *     latter case it keeps running, and that thread can still stop it
     */
    public CpuMeter stop() {
        if (owner != Thread.currentThread()) {
            throw notOurs(owner);
        }
        read(owner);
        owner = null;
        boolean unknown = reading.totalNanos < totalStart || reading.account != accountStart;
        long userNanos = unknown ? UNKNOWN : difference(userStart, reading.userNanos);
        long systemNanos = unknown ? UNKNOWN : difference(systemStart, reading.systemNanos);
        long totalNanos = unknown ? UNKNOWN : difference(totalStart, reading.totalNanos);
        long wallNanos = reading.wallNanos - wallStart;
        user = sum(user, userNanos);
        system = sum(system, systemNanos);
        total = sum(total, totalNanos);
        wall += wallNanos;
        intervals++;
        if (totals != null) {
            totals.addSigned(userNanos, systemNanos, totalNanos, wallNanos);
        }
        return this;
    }

    /** Calls {@link #stop()} if the meter is running; otherwise does nothing. */
    @Override
    public void close() {
        if (owner != null) {
            stop();
        }
    }

    /**
     * Discards the running interval, if any, without adding it to the sums: for a meter whose thread has
     * ended or will never stop it. May be called on any thread, but not while the thread that started the
     * meter is using it.
     */
    public void abandon() {
        owner = null;
    }

    /**
     * Resets all sums to 0.
     *
     * @throws IllegalStateException if the meter is running
     */
    public void reset() {
        if (owner != null) {
            throw new IllegalStateException("this meter is running; stop it before it is reset");
        }
        user = system = total = wall = intervals = 0;
    }

    /** {@return true between start and stop} */
    public boolean isRunning() {
        return owner != null;
    }

    /** {@return user time of the finished intervals in nanoseconds; -1 if the kernel refused it in one} */
    public long userNanos() {
        return shown(user);
    }

    /** {@return system time of the finished intervals in nanoseconds; -1 if the kernel refused it in one} */
    public long systemNanos() {
        return shown(system);
    }

    /** {@return total time of the finished intervals in nanoseconds; -1 if the kernel refused it in one} */
    public long totalNanos() {
        return shown(total);
    }

    /** {@return the CPU time of the finished intervals as a value that later ones do not change} */
    public CpuSnapshot snapshot() {
        return new CpuSnapshot(userNanos(), systemNanos(), totalNanos());
    }

    /** {@return elapsed time of the finished intervals in nanoseconds} */
    public long wallNanos() {
        return wall;
    }

    /** {@return the number of finished intervals} */
    public long intervals() {
        return intervals;
    }

    @Override
    public String toString() {
        return snapshot() + ", wall " + wall + " ns in " + intervals + " intervals"
                + (owner == null ? "" : ", running");
    }

    private void read(Thread thread) {
        if (JavaThread.isCarried(thread)) {
            CLOCKS.virtualTimes(thread, (now ? Freshness.NOW : Freshness.TICK).ordinal(), reading);
        } else if (now) {
            CLOCKS.taskNow(reading);
        } else {
            CLOCKS.taskTick(reading);
        }
    }

    private static IllegalStateException notOurs(Thread owner) {
        return new IllegalStateException(owner == null ? "this meter is not running"
                : "this meter was started by thread " + owner.getName() + " and cannot be stopped by thread "
                        + Thread.currentThread().getName()
                        + ": a thread's CPU time is measured on that thread");
    }

    private static long difference(long from, long to) {
        return from < 0 || to < 0 ? UNKNOWN : to - from;
    }

    private static long sum(long sum, long nanos) {
        return sum == UNKNOWN || nanos == UNKNOWN ? UNKNOWN : sum + nanos;
    }

    private static long shown(long sum) {
        return sum == UNKNOWN ? -1 : Math.max(0, sum);
    }
}
