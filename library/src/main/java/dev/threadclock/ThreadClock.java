// SPDX-License-Identifier: Apache-2.0
// The public API: CPU times of the calling thread, of other threads and of the process.
package dev.threadclock;

import dev.threadclock.internal.Clocks;

/**
 * CPU time of threads: right, and for the calling thread cheaper than {@link System#nanoTime()}.
 *
 * <pre>{@code
 * long before = ThreadClock.userNanos();
 * work();
 * long userNanos = ThreadClock.userNanos() - before;
 * }</pre>
 *
 * <p><b>Three quantities</b>, in nanoseconds since the thread started. <i>Total</i> is the scheduler's precise run time.
 * <i>User</i> and <i>system</i> are the kernel's split of it: an estimate that the kernel makes from timer ticks, scaled so
 * that user + system is at most total.
 *
 * <p><b>Freshness.</b> {@code userNanos()}, {@code systemNanos()} and {@code totalNanos()} give the value as of the last timer
 * tick, at most about two ticks old (4 ms each at 250 Hz): a thread's first read after a tick makes one system call, the
 * others none. The {@code ...NowNanos()} methods ask the kernel each time: one system call for total, two for user and system.
 *
 * <p><b>What holds for every method.</b> The value never goes back, in whatever order the freshnesses are read and whoever
 * reads. User + system is at most a total that is read later. A tick reading is never ahead of the truth. Nothing is allocated
 * on the Java heap. -1 means that the kernel refuses (for example a seccomp filter); no other value is negative. All may be
 * called by any number of threads at once. Nothing throws but where it says so.
 *
 * <p><b>Virtual threads</b> have no time in the kernel. In one, reads of the calling thread give the time of the carrier that
 * happens to run it: differences across a blocking call mean nothing there. {@link CpuMeter} refuses to run there.
 *
 * <p><b>Without native code</b> (not Linux on x86_64 or aarch64, no place to extract the library, native access denied) all
 * methods answer from ThreadMXBean, as fast, as fresh and as right as the JVM has it: user and total, system as their
 * difference. The promises above are then the JVM's. {@link #source} says so.
 */
public final class ThreadClock {
    private static final Clocks CLOCKS = Clocks.CLOCKS;

    private ThreadClock() {}

    /**
     * User time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call, but for one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long userNanos() {
        return CLOCKS.userTickNanos();
    }

    /**
     * System time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call, but for one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long systemNanos() {
        return CLOCKS.systemTickNanos();
    }

    /**
     * Total CPU time of the calling thread as of the last timer tick.
     *
     * @return nanoseconds in steps of 1 us, at most about two ticks old; or -1. No system call, but for one
     *     {@code getrusage(RUSAGE_THREAD)} in the first read after a tick.
     */
    public static long totalNanos() {
        return CLOCKS.totalTickNanos();
    }

    /**
     * User time of the calling thread at this moment.
     *
     * @return nanoseconds in steps of 1 us; or -1. Two system calls: {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, which
     *     brings the kernel's run time up to date, and {@code getrusage(RUSAGE_THREAD)}.
     */
    public static long userNowNanos() {
        return CLOCKS.userNowNanos();
    }

    /**
     * System time of the calling thread at this moment.
     *
     * @return nanoseconds in steps of 1 us; or -1. Two system calls: {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, which
     *     brings the kernel's run time up to date, and {@code getrusage(RUSAGE_THREAD)}.
     */
    public static long systemNowNanos() {
        return CLOCKS.systemNowNanos();
    }

    /**
     * Total CPU time of the calling thread at this moment: the scheduler's run time.
     *
     * @return nanoseconds in steps of 1 ns; or -1. One system call, {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}.
     */
    public static long totalNowNanos() {
        return CLOCKS.totalNowNanos();
    }

    /**
     * Total CPU time of the calling thread at this moment, mostly without asking the kernel: what the processor's counter has
     * come since the last answer of the kernel is added to it, for 1 ms at most and while the thread stays on its CPU.
     *
     * @return nanoseconds, typically 0.2 us behind {@link #totalNowNanos()}, ahead of it by less than 1 ms where the kernel
     *     does not count all time as the thread's; or -1. No system call, but for one in the first read after a thread switch or
     *     1 ms. Where it cannot be done (no rseq), the same as totalNowNanos().
     */
    public static long totalInterpolatedNanos() {
        return CLOCKS.totalInterpolatedNanos();
    }

    /**
     * User, system and total of the calling thread as of the last timer tick, from one moment: user + system is at most total.
     *
     * @param times where to put them
     * @return false if the kernel refuses, times are then -1. Age and system calls as {@link #userNanos()}
     */
    public static boolean read(CpuTimes times) {
        return CLOCKS.timesTick(times.sample);
    }

    /**
     * User, system and total of the calling thread at this moment.
     *
     * @param times where to put them
     * @return false if the kernel refuses, times are then -1. System calls as {@link #userNowNanos()}
     */
    public static boolean readNow(CpuTimes times) {
        return CLOCKS.timesNow(times.sample);
    }

    /**
     * User, system and total of any Java thread at this moment. Up to three reads of its clocks (0.6 us) and what it takes to
     * see that it is still the same thread (2 us).
     *
     * <p>A thread that reads itself and is read by others has one account of its split from the first reading by another on: at
     * its next reading of itself user or system may be less than before, once, by what the two accounts differed.
     *
     * @param thread the thread to read
     * @param times where to put them
     * @return false with times of -1 if the thread has not started, has ended or is virtual, or the kernel refuses; never the
     *     time of another thread
     */
    public static boolean read(Thread thread, CpuTimes times) {
        return CLOCKS.threadTimes(thread, times.sample);
    }

    /**
     * User, system and total, at this moment, of the thread of this process that has a TID, as top and /proc show it.
     *
     * @param tid the thread's id in the kernel
     * @param times where to put them
     * @return false with times of -1 if this process has no such thread, or the kernel refuses
     * @throws UnsupportedOperationException without the native library
     */
    public static boolean readTid(int tid, CpuTimes times) {
        return CLOCKS.tidTimes(tid, times.sample);
    }

    /**
     * User, system and total of the whole process at this moment, ended threads included. Two system calls.
     *
     * @param times where to put them
     * @return false with times of -1 if the kernel refuses. Without the native library: total only, user and system -1
     */
    public static boolean readProcess(CpuTimes times) {
        return CLOCKS.processTimes(times.sample);
    }

    /**
     * The id of a thread in the kernel, as top and /proc show it.
     *
     * @param thread the thread
     * @return its TID; -1 if it has not started, has ended or is virtual, and without the native library
     */
    public static int tid(Thread thread) {
        return CLOCKS.tid(thread);
    }

    /**
     * Where reads of this quantity and freshness of the calling thread come from, here and now. Tries the sources: for
     * diagnosis, not for hot paths (up to 20 ms for {@link Freshness#INTERPOLATED}).
     *
     * @param quantity what is read
     * @param freshness how fresh
     * @return what is known of the source
     * @throws IllegalArgumentException for user or system interpolated: only total can be
     */
    public static Source source(Quantity quantity, Freshness freshness) {
        if (freshness == Freshness.INTERPOLATED && quantity != Quantity.TOTAL) {
            throw new IllegalArgumentException("only TOTAL can be INTERPOLATED, not " + quantity);
        }
        return new Source(quantity, freshness, CLOCKS.source(quantity.ordinal(), freshness.ordinal()));
    }
}
