// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import java.util.Objects;

/**
 * CPU time of the calling thread, of other threads and of the process: right, and for the calling thread
 * cheaper than {@link System#nanoTime()}.
 *
 * <pre>{@code
 * long before = ThreadClock.userNanos();
 * work();
 * long userNanos = ThreadClock.userNanos() - before;
 * }</pre>
 *
 * <p><b>Three quantities</b>, in nanoseconds since the thread started. <i>Total</i> is the scheduler's
 * precise run time. <i>User</i> and <i>system</i> are the kernel's split of it: an estimate derived from
 * timer ticks and scaled so that user + system is at most total.
 *
 * <p><b>Freshness.</b> {@code userNanos()}, {@code systemNanos()} and {@code totalNanos()} return the value
 * as of the last timer tick, at most about two ticks old (4 ms each at 250 Hz): a thread's first read after a
 * tick makes one system call, the others none. The {@code ...NowNanos()} methods ask the kernel each time:
 * one system call for total, two for user and system.
 *
 * <p><b>Guarantees of every method.</b> Values never decrease, whichever freshnesses are read in whatever
 * order and by whichever thread. User + system is at most a total that is read later. The total of a tick
 * reading is never ahead of the true value; user and system may each be, by about a tick. Nothing is
 * allocated on the Java heap. -1 means that the kernel refuses (for example because of a seccomp filter); no
 * other value is negative. All methods may be called by any number of threads at once. No method throws
 * unless its description says so.
 *
 * <p><b>Virtual threads</b> have no time in the kernel. While {@link VirtualThreads} accounts for them, reads
 * of the calling thread and of a {@code Thread} return their own time, which stands still while they wait,
 * whatever carriers they run on. Otherwise these reads return -1 or false; they never return a carrier's
 * time. If accounting is switched off and on again, a thread's times begin at 0 again: use {@link CpuTimes}
 * or {@link CpuMeter} for differences, which are then unknown (-1).
 *
 * <p><b>Without native code</b> (not Linux on x86_64 or aarch64, no place to extract the library, native
 * access denied) all methods answer from ThreadMXBean, as fast, as fresh and as right as it is in this JVM:
 * user and total, with system as their difference. The guarantees above are then only as good as the JVM's.
 * {@link #source} reports this. Where native code could be used, the first read also logs one warning with
 * the reason and the remedy, to the {@code System.Logger} (JDK 8: java.util.logging) named
 * {@code dev.threadclock}.
 */
public final class ThreadClock {
    private ThreadClock() {}

    private static long virtualNanos(Thread thread, Quantity quantity, Freshness freshness) {
        return Clocks.virtualNanos(thread, quantity.ordinal(), freshness.ordinal());
    }

    private static boolean virtualTimes(Thread thread, Freshness freshness, CpuTimes times) {
        return Clocks.virtualTimes(thread, freshness.ordinal(), times.reading);
    }

    /**
     * User time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call except one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long userNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.USER, Freshness.TICK)
                : Clocks.userTickNanos();
    }

    /**
     * System time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call except one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long systemNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.SYSTEM, Freshness.TICK)
                : Clocks.systemTickNanos();
    }

    /**
     * Total CPU time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call except one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long totalNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.TOTAL, Freshness.TICK)
                : Clocks.totalTickNanos();
    }

    /**
     * User time of the calling thread at this moment.
     *
     * @return nanoseconds in steps of 1 us; or -1. Two system calls:
     *     {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, which brings the kernel's run time up to date, and
     *     {@code getrusage(RUSAGE_THREAD)}.
     */
    public static long userNowNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.USER, Freshness.NOW)
                : Clocks.userNowNanos();
    }

    /**
     * System time of the calling thread at this moment.
     *
     * @return nanoseconds in steps of 1 us; or -1. Two system calls:
     *     {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, which brings the kernel's run time up to date, and
     *     {@code getrusage(RUSAGE_THREAD)}.
     */
    public static long systemNowNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.SYSTEM, Freshness.NOW)
                : Clocks.systemNowNanos();
    }

    /**
     * Total CPU time of the calling thread at this moment: the scheduler's run time.
     *
     * @return nanoseconds in steps of 1 ns; or -1. One system call,
     *     {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}.
     */
    public static long totalNowNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.TOTAL, Freshness.NOW)
                : Clocks.totalNowNanos();
    }

    /**
     * Total CPU time of the calling thread at this moment, usually without asking the kernel: the kernel's
     * last answer plus the advance of the processor's counter since then, for at most 1 ms and only while the
     * thread stays on its CPU.
     *
     * @return nanoseconds, typically 0.2 us behind {@link #totalNowNanos()}, and ahead of it by less than 1
     *     ms where the kernel does not charge all time to the thread; or -1. No system call except one in the
     *     first read after a thread switch or after 1 ms. Where interpolation is impossible (no rseq), the
     *     same as totalNowNanos().
     */
    public static long totalInterpolatedNanos() {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualNanos(thread, Quantity.TOTAL, Freshness.INTERPOLATED)
                : Clocks.totalInterpolatedNanos();
    }

    /**
     * User, system and total of the calling thread as of the last timer tick, all of one moment: user +
     * system is at most total.
     *
     * @param times receives the values
     * @return false if the kernel refuses; times are then -1. Age and system calls as for
     *     {@link #userNanos()}
     */
    public static boolean read(CpuTimes times) {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualTimes(thread, Freshness.TICK, times)
                : Clocks.timesTick(times.reading);
    }

    /**
     * User, system and total of the calling thread at this moment.
     *
     * @param times receives the values
     * @return false if the kernel refuses; times are then -1. System calls as for {@link #userNowNanos()}
     */
    public static boolean readNow(CpuTimes times) {
        Thread thread = Thread.currentThread();
        return JavaThread.isCarried(thread) ? virtualTimes(thread, Freshness.NOW, times)
                : Clocks.timesNow(times.reading);
    }

    /**
     * User, system and total of any Java thread at this moment. Costs up to three reads of the thread's
     * clocks (0.6 us); the first read of a thread also finds its TID (5 us).
     *
     * <p>Once a thread that reads itself is read by another thread, both share one account of its user/system
     * split. In the thread's next reading of itself, user or system may therefore decrease once, by the
     * difference between the two accounts.
     *
     * @param thread the thread to read
     * @param times receives the values
     * @return false, with times of -1, if the thread has not started, has ended, or is virtual and not
     *     accounted for, or the kernel refuses; never the time of another thread
     */
    public static boolean read(Thread thread, CpuTimes times) {
        return Clocks.threadTimes(Objects.requireNonNull(thread, "thread"), times.reading);
    }

    /**
     * User, system and total, at this moment, of the thread of this process with the given TID, as top and
     * /proc show it.
     *
     * @param tid the thread's id in the kernel
     * @param times receives the values
     * @return false, with times of -1, if this process has no such thread, or the kernel refuses
     * @throws UnsupportedOperationException without the native library
     */
    public static boolean readTid(int tid, CpuTimes times) {
        return Clocks.tidTimes(tid, times.reading);
    }

    /**
     * User, system and total of the whole process at this moment, including threads that have ended; total is
     * user + system, to 2 us. One system call.
     *
     * @param times receives the values
     * @return false, with times of -1, if the kernel refuses. Without the native library: total only, user
     *     and system are -1
     */
    public static boolean readProcess(CpuTimes times) {
        return Clocks.processTimes(times.reading);
    }

    /**
     * How long the calling thread was runnable but had no CPU, since it started: its time on the run queue,
     * of which /proc/self/task/TID/schedstat is the source. Complete at the moment of the call. Three system
     * calls.
     *
     * @return nanoseconds; -1 on a virtual thread, without the native library, or where the kernel does not
     *     count it (CONFIG_SCHED_INFO)
     */
    public static long waitedNanos() {
        return Clocks.waitedNanos(Thread.currentThread());
    }

    /**
     * The kernel's id of a thread, as top and /proc show it.
     *
     * @param thread the thread
     * @return its TID; -1 if it has not started, has ended or is virtual, or without the native library
     */
    public static int tid(Thread thread) {
        return Clocks.tid(Objects.requireNonNull(thread, "thread"));
    }

    /**
     * {@return true if the native library answers reads; otherwise ThreadMXBean does, and
     * {@link #requireNative()} says why}
     */
    public static boolean isNative() {
        return Clocks.whyNotNative().isEmpty();
    }

    /**
     * Throws if reads would come from ThreadMXBean: only as right as the JVM's, and up to hundreds of times
     * slower. With the system property {@code dev.threadclock.requireNative=true} the first use of this class
     * fails with an {@link ExceptionInInitializerError} caused by this exception.
     *
     * @throws IllegalStateException with the reason and the remedy, if {@link #isNative()} is false
     */
    public static void requireNative() {
        Clocks.requireNative();
    }

    /**
     * Where reads of this quantity at this freshness on the calling thread come from in this JVM. Tries the
     * sources: for diagnosis, not for hot paths (up to 20 ms for {@link Freshness#INTERPOLATED}).
     *
     * @param quantity the quantity to read
     * @param freshness how fresh
     * @return what is known of the source
     * @throws IllegalArgumentException for interpolated user or system: only total can be interpolated
     */
    public static Source source(Quantity quantity, Freshness freshness) {
        if (freshness == Freshness.INTERPOLATED && quantity != Quantity.TOTAL) {
            throw new IllegalArgumentException("only TOTAL can be INTERPOLATED, not " + quantity);
        }
        return new Source(quantity, freshness);
    }
}
