// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;

/**
 * The CPU time of a piece of work on one thread, however short it is and however long it waits.
 *
 * <pre>{@code
 * CpuMeter meter = new CpuMeter();
 * try (CpuMeter running = meter.start()) {
 *     work();
 * }
 * long totalNanos = meter.totalNanos();
 * }</pre>
 *
 * <p><b>Total</b> is precise: nearly always to 2 us, otherwise to about 20, and usually without a system
 * call. Time stolen by a hypervisor may count, 1 ms at most, and is then taken off the thread's next
 * intervals. <b>User</b> and <b>system</b> add up to the total. They divide it as the kernel divides the
 * timer ticks that the interval spans, or else the last ticks that an interval of this thread has seen: right
 * in sums over many, an estimate for a short one.
 *
 * <p>A meter may be started and stopped many times; it returns the sums over its finished intervals. Meters
 * may be nested: the outer one includes the inner. Starting and stopping allocate nothing. For work on
 * several threads use {@link CpuWork}.
 *
 * <p><b>One thread.</b> An interval must end on the thread that began it. A stop on another thread throws and
 * changes nothing. On a virtual thread an interval may span blocking calls and change carriers, while
 * {@link VirtualThreads} accounts for virtual threads; otherwise starting a meter on one throws.
 *
 * <p><b>Unknown.</b> If the time of an interval cannot be known, all sums are -1 from then on until the
 * reset: the kernel refuses its clocks (seccomp), accounting of virtual threads was switched off meanwhile,
 * or the process was restored from a checkpoint (CRIU, CRaC).
 */
public final class CpuMeter implements AutoCloseable {
    private final Reading reading = new Reading();
    private final Extras extras; // null: none
    private final long[] begunExtras = new long[Extras.COUNT];
    private final long[] extraSums = new long[Extras.COUNT];
    private Thread owner; // null when not running
    private long user;
    private long system;
    private long intervals;
    private boolean isUnknown;

    /**
     * Creates a meter whose sums are 0.
     *
     * @param extras what it measures besides CPU time; usually nothing
     */
    public CpuMeter(Extra... extras) {
        this.extras = Extras.of(extras);
        resetExtras();
    }

    /**
     * Begins an interval on the calling thread.
     *
     * @return this meter, for try-with-resources
     * @throws IllegalStateException if the meter is running, or with the reason, on a virtual thread that is
     *     not accounted for
     */
    public CpuMeter start() {
        Thread thread = Thread.currentThread();
        if (owner != null) {
            throw new IllegalStateException("this meter was started already, by thread " + owner.getName()
                    + "; stop it first, or use a meter for each");
        }
        if (extras != null) {
            for (int i = Extras.COUNT - 1; i >= 0; i--) {
                begunExtras[i] = extras.now(i, thread);
            }
        }
        if (!Clocks.begin(thread, reading) && JavaThread.isCarried(thread)) {
            throw new IllegalStateException(VirtualThreads.whyUnknown());
        }
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
        isUnknown |= !Clocks.end(owner, reading);
        if (extras != null) {
            for (int i = 0; i < Extras.COUNT; i++) {
                extraSums[i] = Extras.sum(extraSums[i], begunExtras[i], extras.now(i, owner));
            }
        }
        owner = null;
        user += reading.userNanos;
        system += reading.systemNanos;
        intervals++;
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
     * Adds CPU time that was measured elsewhere, for example by another meter, or in a test that burns none.
     *
     * @param used what was used; unknown times (-1) make the sums unknown
     */
    public void add(CpuSnapshot used) {
        isUnknown |= used.userNanos() < 0 || used.systemNanos() < 0;
        user += used.userNanos();
        system += used.systemNanos();
    }

    /**
     * Resets all sums to 0, and discards the running interval, if any: also one of a thread that has ended or
     * will never stop it. May be called on any thread, but not while the thread that started the meter is
     * using it.
     */
    public void reset() {
        owner = null;
        user = system = intervals = 0;
        isUnknown = false;
        resetExtras();
    }

    private void resetExtras() {
        for (int i = 0; i < Extras.COUNT; i++) {
            extraSums[i] = Extras.zero(extras, i);
        }
    }

    /** {@return true between start and stop} */
    public boolean isRunning() {
        return owner != null;
    }

    /** {@return user time of the finished intervals in nanoseconds, or -1} */
    public long userNanos() {
        return isUnknown ? -1 : user;
    }

    /** {@return system time of the finished intervals in nanoseconds, or -1} */
    public long systemNanos() {
        return isUnknown ? -1 : system;
    }

    /** {@return total time of the finished intervals in nanoseconds: user + system; or -1} */
    public long totalNanos() {
        return isUnknown ? -1 : user + system;
    }

    /**
     * {@return the bytes that the finished intervals have allocated on the Java heap; -1 if the meter was not
     * made for {@link Extra#ALLOCATED_BYTES}, on a virtual thread, or if this JVM does not count them}
     */
    public long allocatedBytes() {
        return extraSums[Extra.ALLOCATED_BYTES.ordinal()];
    }

    /**
     * {@return how long the thread was runnable but had no CPU in the finished intervals, in nanoseconds; -1
     * if the meter was not made for {@link Extra#WAITED}, or where {@link ThreadClock#waitedNanos()} is}
     */
    public long waitedNanos() {
        return extraSums[Extra.WAITED.ordinal()];
    }

    /** {@return the CPU time of the finished intervals as a value that later ones do not change} */
    public CpuSnapshot snapshot() {
        return new CpuSnapshot(userNanos(), systemNanos(), totalNanos());
    }

    /** {@return the number of finished intervals} */
    public long intervals() {
        return intervals;
    }

    @Override
    public String toString() {
        return snapshot() + " in " + intervals + " intervals" + (owner == null ? "" : ", running");
    }

    private static IllegalStateException notOurs(Thread owner) {
        return new IllegalStateException(owner == null ? "this meter is not running"
                : "this meter was started by thread " + owner.getName() + " and cannot be stopped by thread "
                        + Thread.currentThread().getName()
                        + ": a thread's CPU time is measured on that thread");
    }
}
