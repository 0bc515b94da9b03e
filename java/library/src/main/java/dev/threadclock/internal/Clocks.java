// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;

/**
 * Internal: all reads behind the public API, and the choice of their implementation in this JVM. Values are
 * nanoseconds; -1, or false with a reading of -1, means refused. One instance for the life of the JVM, in a
 * static final field, so that the JIT compilers call its methods directly.
 */
public abstract class Clocks {
    public static final Clocks CLOCKS = choose();

    public abstract long userTickNanos();

    public abstract long userNowNanos();

    public abstract long systemTickNanos();

    public abstract long systemNowNanos();

    public abstract long totalTickNanos();

    public abstract long totalNowNanos();

    public abstract long totalInterpolatedNanos();

    public abstract boolean timesTick(Reading reading);

    public abstract boolean timesNow(Reading reading);

    /** Begins an interval of the calling thread in a reading. False: its time will be unknown. */
    public abstract boolean begin(Thread thread, Reading reading);

    /**
     * Ends the interval that this thread began: the reading has what was used, or it is unknown. Its
     * beginning stays, so another thread that reads it meanwhile gets what was used until now.
     */
    public abstract boolean end(Thread thread, Reading reading);

    /**
     * What an interval of another thread has used so far; wrong if its reading begins another one meanwhile.
     */
    public abstract boolean soFar(Thread thread, Reading begun, Reading used);

    public abstract boolean threadTimes(Thread thread, Reading reading);

    /** Throws UnsupportedOperationException without native code. */
    public abstract boolean tidTimes(int tid, Reading reading);

    public abstract boolean processTimes(Reading reading);

    /** -1 if the thread is not alive or its TID cannot be determined. */
    public abstract int tid(Thread thread);

    /** Reads all threads of the process. */
    public abstract void allThreads(ThreadTable table);

    /**
     * How long the thread with this TID, 0 for the caller, was runnable without a CPU, as of the last time
     * that it ran; ranNanos is an earlier value of its clock. -1: it has ended, or this is unknown.
     */
    public long waitedNanos(int tid, long ranNanos) {
        return -1;
    }

    /** The same of a Java thread until now; -1 also if it is carried. */
    public final long waitedNanos(Thread thread) {
        if (JavaThread.isCarried(thread)) {
            return -1;
        }
        int tid = thread == Thread.currentThread() ? 0 : tid(thread);
        return tid < 0 ? -1 : waitedNanos(tid, 0);
    }

    /** The bytes that a thread has allocated on the Java heap; -1 if it is carried, or this is unknown. */
    public final long allocatedBytes(Thread thread) {
        return JavaThread.isCarried(thread) || Management.INSTANCE == null ? -1
                : Management.INSTANCE.allocatedBytes(JavaThread.id(thread));
    }

    /** A read of the calling thread, which runs on a carrier; quantity and freshness are ordinals. */
    public long virtualNanos(Thread thread, int quantity, int freshness) {
        return -1;
    }

    /** User, system and total of the calling thread, which runs on a carrier. */
    public boolean virtualTimes(Thread thread, int freshness, Reading reading) {
        reading.set(-1, -1, -1);
        return false;
    }

    /** Asks for the accounting of virtual threads; throws IllegalStateException with the reason. */
    public void virtualOn(int clock) {
        throw new IllegalStateException(notNative(whyNotNative()));
    }

    public void virtualOff(int clock) {}

    /** The ordinal of the clock that is read at switches of virtual threads; -1: accounting is off. */
    public int virtualClock() {
        return -1;
    }

    /**
     * Writes the number of threads, the number mounted, user and total of each group of virtual threads, and
     * returns the groups' names: none if no virtual thread has been accounted for.
     */
    public String[] virtualGroups(long[] values) {
        return new String[0];
    }

    /** The account of the process, as {@link Native#account}; native code only. */
    public int account(long ageNanos, Thread[] live, long[] values, String[] names) {
        throw new IllegalStateException(notNative(whyNotNative()));
    }

    /** {@return the reason, for an errno} */
    static IllegalStateException cannotList(int errno) {
        return new IllegalStateException("the threads of this process cannot be listed: error " + errno
                + " (is /proc mounted?)");
    }

    /** The properties that {@code dev.threadclock.Source} reports; -1 for an unknown number. */
    public static final class SourceFacts {
        public final String name;
        public final String binding;
        public final int systemCalls;
        public final long resolutionNanos;
        public final long ageNanos;
        public final String whyNotNative;

        SourceFacts(String name, String binding, int systemCalls, long resolutionNanos, long ageNanos,
                String whyNotNative) {
            this.name = name;
            this.binding = binding;
            this.systemCalls = systemCalls;
            this.resolutionNanos = resolutionNanos;
            this.ageNanos = ageNanos;
            this.whyNotNative = whyNotNative;
        }
    }

    /** Name, binding, system calls, resolution and age of a source; the arguments are ordinals. */
    public abstract SourceFacts source(int quantity, int freshness);

    /** Why native code is not used, and the remedy; empty if it is used. */
    public String whyNotNative() {
        return "";
    }

    /** Memory for a reading; null without native code. */
    abstract ByteBuffer memory();

    private static Clocks choose() {
        try {
            return new JniClocks();
        } catch (LinkageError | RuntimeException e) {
            // No library for this machine, no place to extract it, or native access is denied
            // (IllegalCallerException).
            Clocks clocks = new ManagementClocks(reason(e), !NativeImage.isForThisMachine());
            if (isRequired()) {
                clocks.requireNative();
            }
            return clocks;
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
    public final void requireNative() {
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
