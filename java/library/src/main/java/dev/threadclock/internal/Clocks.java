// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;

/**
 * Internal: all reads behind the public API: through JNI, or from ThreadMXBean where there is no native code.
 * Values are nanoseconds; -1, or false with a reading of -1, means refused.
 */
public final class Clocks {
    /** Error codes as negative errno values. */
    private static final int NO_SUCH_THREAD = -3;
    private static final int NOT_KNOWN_HERE = -38;

    /** The ordinal of Freshness.NOW. */
    private static final int NOW = 1;

    /** Null with native code. Final, so that the JIT compilers leave out the other branch. */
    private static final Management FALLBACK = fallback();

    static {
        if (isRequired()) {
            requireNative();
        }
    }

    private Clocks() {}

    public static long userTickNanos() {
        return FALLBACK == null ? Native.userTickNanos() : FALLBACK.userNanos();
    }

    public static long userNowNanos() {
        return FALLBACK == null ? Native.userNowNanos() : FALLBACK.userNanos();
    }

    public static long systemTickNanos() {
        return FALLBACK == null ? Native.systemTickNanos() : FALLBACK.systemNanos();
    }

    public static long systemNowNanos() {
        return FALLBACK == null ? Native.systemNowNanos() : FALLBACK.systemNanos();
    }

    public static long totalTickNanos() {
        return FALLBACK == null ? Native.totalTickNanos() : FALLBACK.totalNanos();
    }

    public static long totalNowNanos() {
        return FALLBACK == null ? Native.totalNowNanos() : FALLBACK.totalNanos();
    }

    public static long totalInterpolatedNanos() {
        return FALLBACK == null ? Native.totalInterpolatedNanos() : FALLBACK.totalNanos();
    }

    public static boolean timesTick(Reading reading) {
        return FALLBACK == null ? reading.times(Native.timesTick(reading.address)) : FALLBACK.times(reading);
    }

    public static boolean timesNow(Reading reading) {
        return FALLBACK == null ? reading.times(Native.timesNow(reading.address)) : FALLBACK.times(reading);
    }

    /** Begins an interval of the calling thread in a reading. False: its time will be unknown. */
    public static boolean begin(Thread thread, Reading reading) {
        if (FALLBACK != null) {
            return FALLBACK.begin(reading);
        }
        return (JavaThread.isCarried(thread) ? Native.virtualBegin(JavaThread.id(thread), reading.address)
                : Native.intervalBegin(reading.address)) == 0;
    }

    /**
     * Ends the interval that this thread began: the reading has what was used, or it is unknown. Its
     * beginning stays, so another thread that reads it meanwhile gets what was used until now.
     */
    public static boolean end(Thread thread, Reading reading) {
        if (FALLBACK != null) {
            return FALLBACK.end(reading);
        }
        return reading.ended(JavaThread.isCarried(thread)
                ? Native.virtualEnd(JavaThread.id(thread), reading.address)
                : Native.intervalEnd(reading.address));
    }

    /**
     * What an interval of another thread has used so far; wrong if its reading begins another one meanwhile.
     */
    public static boolean soFar(Thread thread, Reading begun, Reading used) {
        if (FALLBACK != null) {
            return FALLBACK.soFar(thread, begun, used);
        }
        return used.times(JavaThread.isCarried(thread)
                ? Native.virtualSoFar(thread, begun.address, used.address)
                : Native.intervalSoFar(thread, begun.address, used.address));
    }

    public static boolean threadTimes(Thread thread, Reading reading) {
        if (FALLBACK != null) {
            return FALLBACK.threadTimes(thread, reading);
        }
        boolean own = thread == Thread.currentThread();
        if (JavaThread.isCarried(thread)) {
            return own ? virtualTimes(thread, NOW, reading)
                    : reading.virtualTimes(Native.virtualThreadTimes(thread, reading.address));
        }
        if (own) {
            return timesNow(reading);
        }
        int error = Native.threadTimes(thread, reading.address);
        return error == NOT_KNOWN_HERE ? Management.threadTimes(JavaThread.id(thread), reading)
                : reading.times(error);
    }

    /** Throws UnsupportedOperationException without native code. */
    public static boolean tidTimes(int tid, Reading reading) {
        if (FALLBACK != null) {
            throw new UnsupportedOperationException(
                    "threads cannot be read by TID without the native library: " + whyNotNative());
        }
        return reading.times(tid <= 0 ? NO_SUCH_THREAD : Native.tidTimes(tid, reading.address));
    }

    public static boolean processTimes(Reading reading) {
        return FALLBACK == null ? reading.times(Native.processTimes(reading.address))
                : FALLBACK.processTimes(reading);
    }

    /** -1 if the thread is not alive or its TID cannot be determined. */
    public static int tid(Thread thread) {
        return FALLBACK != null || JavaThread.isCarried(thread) ? -1 : Math.max(-1, Native.tid(thread));
    }

    /** Reads all threads of the process. */
    static void allThreads(ThreadTable table) {
        if (FALLBACK != null) {
            FALLBACK.allThreads(table);
        } else {
            table.readNative();
        }
    }

    /**
     * How long a Java thread was runnable without a CPU until now; -1: it has ended, is carried, or this is
     * unknown.
     */
    public static long waitedNanos(Thread thread) {
        if (FALLBACK != null || JavaThread.isCarried(thread)) {
            return -1;
        }
        int tid = thread == Thread.currentThread() ? 0 : tid(thread);
        return tid < 0 ? -1 : Native.waitedNanos(tid);
    }

    /** The bytes that a thread has allocated on the Java heap; -1 if it is carried, or this is unknown. */
    public static long allocatedBytes(Thread thread) {
        return JavaThread.isCarried(thread) ? -1 : Management.allocatedBytes(JavaThread.id(thread));
    }

    /** A read of the calling thread, which runs on a carrier; quantity and freshness are ordinals. */
    public static long virtualNanos(Thread thread, int quantity, int freshness) {
        return FALLBACK == null ? Native.virtualNanos(JavaThread.id(thread), quantity, freshness) : -1;
    }

    /** User, system and total of the calling thread, which runs on a carrier. */
    public static boolean virtualTimes(Thread thread, int freshness, Reading reading) {
        return reading.virtualTimes(FALLBACK != null ? NOT_KNOWN_HERE
                : Native.virtualTimes(JavaThread.id(thread), freshness, reading.address));
    }

    /** Asks for the accounting of virtual threads; throws IllegalStateException with the reason. */
    public static void virtualOn(int clock) {
        requireNative();
        String problem = Native.virtualOn(clock);
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
    }

    /** The ordinal of the clock that is read at switches of virtual threads; -1: accounting is off. */
    public static int virtualClock() {
        return FALLBACK == null ? Native.virtualClock() : -1;
    }

    /** The account of the process, as {@link Native#account}; native code only. */
    public static int account(long ageNanos, Thread[] live, long[] values, String[] names) {
        requireNative();
        int groups = Native.account(ageNanos, live, values, names);
        if (groups < 0) {
            throw cannotList(-groups);
        }
        return groups;
    }

    /** {@return the reason, for an errno} */
    static IllegalStateException cannotList(int errno) {
        return new IllegalStateException("the threads of this process cannot be listed: error " + errno
                + " (is /proc mounted?)");
    }

    /**
     * The name of the source of these ordinals. Writes the system calls of a read, the resolution and the
     * age; -1: unknown.
     */
    public static String source(int quantity, int freshness, long[] values) {
        if (FALLBACK == null) {
            return Native.describe(quantity, freshness, values);
        }
        values[0] = values[1] = -1;
        return Management.isThere() ? "ThreadMXBean" : "none";
    }

    /** Why native code is not used, and the remedy; empty if it is used. */
    public static String whyNotNative() {
        return FALLBACK == null ? "" : FALLBACK.whyNotNative;
    }

    /** Memory for a reading; null without native code. */
    static ByteBuffer memory() {
        return FALLBACK == null ? NativeMemory.piece() : null;
    }

    private static Management fallback() {
        try {
            Native.addressOf(NativeMemory.piece()); // loads the library
            return null;
        } catch (LinkageError | RuntimeException e) {
            // No library for this machine, no place to extract it, or native access is denied
            // (IllegalCallerException).
            return new Management(reason(e), !NativeImage.isForThisMachine());
        }
    }

    private static boolean isRequired() {
        try {
            return Boolean.getBoolean(Property.REQUIRE_NATIVE);
        } catch (SecurityException e) {
            return false; // a security manager may hide properties
        }
    }

    /** Throws IllegalStateException if native code is not used. */
    public static void requireNative() {
        if (!whyNotNative().isEmpty()) {
            throw new IllegalStateException(notNative(whyNotNative()));
        }
    }

    static String notNative(String why) {
        return "CPU times come from ThreadMXBean here, not from threadclock's native library: " + why;
    }

    private static String reason(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null) {
                return cause.getMessage() + remedy(cause);
            }
        }
        return e + "; please report this";
    }

    /** Messages of our own errors already contain the remedy. */
    private static String remedy(Throwable e) {
        if (e instanceof SecurityException) {
            return "; grant the jar with threadclock's classes java.security.AllPermission in the policy";
        }
        // It exists only since Java 9.
        boolean denied = e.getClass().getSimpleName().equals("IllegalCallerException");
        return denied
                ? "; start Java with --enable-native-access=dev.threadclock, or =ALL-UNNAMED for the class"
                        + " path"
                : "";
    }
}
