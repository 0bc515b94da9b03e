// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.Buffer;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.function.Supplier;

/**
 * Internal: the native methods of libthreadclock, implemented in native/jvm. Times are nanoseconds of
 * the calling thread; -1 means not available.
 *
 * <p>The first use loads the library, and throws what {@link NativeLibrary#load(Class)} throws.
 */
public final class Native {
    static {
        NativeLibrary.load(Native.class);
        // At first use the native code looks up fields of Thread, which a security manager permits to this
        // jar, but not to every caller of it.
        AccessController.doPrivileged(new PrivilegedAction<Integer>() {
            @Override
            public Integer run() {
                findThreads();
                return tid(Thread.currentThread());
            }
        });
    }

    private Native() {}

    /** Lets the library find out where this JVM keeps the TID of a thread. */
    private static native void findThreads();

    public static native long userTickNanos();

    public static native long userNowNanos();

    public static native long systemTickNanos();

    public static native long systemNowNanos();

    public static native long totalTickNanos();

    public static native long totalNowNanos();

    public static native long totalInterpolatedNanos();

    /** Writes the calling thread's times, as of the last tick, to an address. 0, or a negative errno. */
    static native int timesTick(long address);

    /** The same as of now. */
    static native int timesNow(long address);

    /** Begins an interval of the calling thread, which is kept at an address. 0, or a negative errno. */
    static native int intervalBegin(long address);

    /** Ends it: writes user and system since then behind it, as its 7th and 8th longs. It stays. */
    static native int intervalEnd(long address);

    /** Writes what a running interval of another thread has used so far to an address. */
    static native int intervalSoFar(Thread thread, long begun, long address);

    /**
     * Writes user, system and total, as of now, of a thread of this process to an address. 0, -ESRCH, or
     * another negative errno.
     */
    static native int tidTimes(int tid, long address);

    /** The same for a Java thread; -ESRCH: it is not alive; -ENOSYS: this JVM hides its TID. */
    static native int threadTimes(Thread thread, long address);

    /** The TID of a Java thread; errors as for threadTimes. */
    static native int tid(Thread thread);

    /** Writes user, system and total of the process, as of now, to an address. 0, or a negative errno. */
    static native int processTimes(long address);

    /**
     * Writes all threads to the rows of a ThreadTable. The number of threads, or a negative errno.
     *
     * @param live Java threads, padded with nulls; or null
     * @param found receives, at the index of each row, its thread if that is in live; null if live is
     */
    static native int allThreads(long address, int capacity, Thread[] live, Thread[] found);

    /**
     * Reads all threads for Flight Recorder's events. The first element is a long[] of four values each: Java
     * id, TID, user and total since the last call. It begins with what the process has used and no thread
     * showed, mostly ended ones; then comes each that has run. The other elements are the names of these: a
     * String of a Java thread, otherwise the kernel's bytes. Null: the kernel refuses, and the next call has
     * that time as well. If memory runs out, the time of this interval is lost.
     *
     * @param live all Java threads, padded with nulls, if one has started since the last call; or null
     */
    public static native Object[] readThreads(Thread[] live);

    /**
     * How long a thread of this process, 0 for the caller, was runnable without a CPU, as of the last time
     * that it ran. -1: it has ended, or the kernel does not count this.
     */
    static native long waitedNanos(int tid);

    /**
     * The name of a source; null for interpolated user or system. Writes the system calls of a read, the
     * resolution and the age.
     */
    static native String describe(int quantity, int freshness, long[] values);

    /**
     * User, system or total (quantity 0, 1, 2) of the calling virtual thread, which has this id: as of the
     * last tick, as of now, or interpolated (freshness 0, 1, 2). -1 if it has no account.
     */
    static native long virtualNanos(long id, int quantity, int freshness);

    /**
     * Writes the same thread's user, system and total, its account, and 1 if the account covers the thread's
     * whole life, to an address. 0, or a negative errno.
     */
    static native int virtualTimes(long id, int freshness, long address);

    /** Intervals of virtual threads, as those of others; -EOPNOTSUPP: they are accounted for by ticks. */
    static native int virtualBegin(long id, long address);

    static native int virtualEnd(long id, long address);

    static native int virtualSoFar(Thread thread, long begun, long address);

    /** As virtualTimes, as of now, for any virtual thread; -ESRCH if it has no account. */
    static native int virtualThreadTimes(Thread thread, long address);

    /** Asks for the accounting of virtual threads with this clock. Null, or why it is impossible. */
    static native String virtualOn(int clock);

    /** Takes one request for this clock back. */
    public static native void virtualOff(int clock);

    /** The clock of virtual threads; -1 if they are not accounted for. */
    static native int virtualClock();

    /** The largest possible number of groups of virtual threads, TC_VIRTUAL_GROUPS. */
    public static final int VIRTUAL_GROUPS = 128;

    /**
     * Writes four values of each group of virtual threads that have been accounted for, ended ones included:
     * the number of living threads, the number of these that are on a carrier, user and total. Returns the
     * groups' names.
     */
    public static native String[] virtualGroups(long[] values);

    /**
     * Reads the account of the process, or copies its last reading if that is younger than this. Writes to
     * values what {@code AccountReader} reads, and to names those of the groups, unless values[0] shows that
     * they are there already.
     *
     * @param live all Java threads, padded with nulls, if one has started since the last call; or null
     * @return the number of groups, or a negative errno
     */
    static native int account(long ageNanos, Thread[] live, long[] values, String[] names);

    /**
     * The agent serves what this source of String[] and long[] returns (KeyedScopes), as long as it is
     * reachable.
     */
    public static native void exportKeys(String by, Supplier<Object[]> source);

    /**
     * The pool of a thread with this name: the name with each number and id replaced by {@code *}. {@code
     * http-nio-8080-exec-7} belongs to {@code http-nio-*-exec-*}. Names above 341 characters are truncated.
     */
    public static native String pool(String name);

    /**
     * The name of a non-Java thread: the untruncated one of HotSpot's own threads, where that is known,
     * otherwise the kernel's, which has at most 15 bytes.
     */
    public static native String fullName(String kernelName);

    /** The address of a direct buffer's memory. */
    static native long addressOf(Buffer buffer);

    /** Length of a timer tick, 1/HZ. */
    public static native long tickLengthNanos();

    /** CLOCK_MONOTONIC_COARSE: the value of System.nanoTime() at the last timer tick. */
    public static native long coarseMonotonicNanos();

    /** The version of the loaded native library. */
    public static native String version();
}
