// SPDX-License-Identifier: Apache-2.0
// The native methods of the library, as they are in library/src/main/c.
package dev.threadclock.internal;

import java.nio.Buffer;

/**
 * Internal: the doors into libthreadclock. Times are nanoseconds of the calling thread; -1 means not available.
 *
 * <p>The first use loads the library, and throws what {@link NativeLibrary#load()} throws.
 */
public final class Native {
    static {
        NativeLibrary.load();
        bind();
        findThreads();
    }

    private Native() {}

    /** Binds the natives to the one library of the process: the agent's, if that was loaded first. */
    private static native void bind();

    /** Lets the library find out how this JVM tells the TID of a thread. */
    private static native void findThreads();

    public static native long userTickNanos();

    public static native long userNowNanos();

    public static native long systemTickNanos();

    public static native long systemNowNanos();

    public static native long totalTickNanos();

    public static native long totalNowNanos();

    public static native long totalInterpolatedNanos();

    /** User, system and total of the calling thread to an address, as of the last tick. 0, or a negative errno. */
    static native int timesTick(long address);

    /** The same, now. */
    static native int timesNow(long address);

    /** As timesTick, and the elapsed time of the tick behind them, which is always there. */
    static native int taskTick(long address);

    /** User, system and total of a thread of this process to an address, now. 0, or -ESRCH, or another negative errno. */
    static native int tidTimes(int tid, long address);

    /** The same of a Java thread; -ESRCH if it is not alive, -ENOSYS if its TID cannot be known here. */
    static native int threadTimes(Thread thread, long address);

    /** The TID of a Java thread; errors as threadTimes. */
    static native int tid(Thread thread);

    /** User, system and total of the process to an address, now. 0, or a negative errno. */
    static native int processTimes(long address);

    /** All threads into rows at an address, see ThreadTable. How many there are, or a negative errno. */
    static native int allThreads(long address, int capacity);

    /** struct threadclock_source without its name to an address. 0, or a negative errno. */
    static native int describe(int quantity, int freshness, long address);

    /** The name in the same. */
    static native String sourceName(int quantity, int freshness);

    /** The address of a function that the library exports, 0 if there is none of this name. */
    static native long address(String symbol);

    /** The address of a direct buffer's memory. */
    static native long addressOf(Buffer buffer);

    /** Length of a timer tick, 1/HZ. */
    public static native long tickLengthNanos();

    /** CLOCK_MONOTONIC_COARSE: System.nanoTime() as it was at the last timer tick. */
    public static native long coarseMonotonicNanos();

    /** The version of the loaded native library. */
    public static native String version();

    /** Makes the whole process another user's, for good; as root. 0, or a negative errno with the process half changed. */
    public static native int becomeUser(int uid, int gid);

    /** Sends SIGQUIT to a process. 0, or a negative errno. */
    public static native int signalQuit(int pid);
}
