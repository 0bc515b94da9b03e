// SPDX-License-Identifier: Apache-2.0
// The reads behind the public API, and the choice of who answers them in this JVM.
package dev.threadclock.internal;

import java.nio.ByteBuffer;

/**
 * Internal: all reads. Nanoseconds; -1, or false with a sample of -1, is a refusal. One object for the life of the JVM in a
 * static final field, so that the compilers call its methods directly.
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

    public abstract boolean timesTick(Sample sample);

    public abstract boolean timesNow(Sample sample);

    /** User, system and total as of the last tick, and the elapsed time of that tick. */
    public abstract void taskTick(Sample sample);

    /** User, system, total and elapsed time now. */
    public abstract void taskNow(Sample sample);

    public abstract boolean threadTimes(Thread thread, Sample sample);

    /** UnsupportedOperationException without native code. */
    public abstract boolean tidTimes(int tid, Sample sample);

    public abstract boolean processTimes(Sample sample);

    /** -1: not alive, or not known here. */
    public abstract int tid(Thread thread);

    /** Reads all threads of the process. */
    public abstract void allThreads(ThreadTable table);

    /** Name, binding, system calls, resolution and age of a source; quantity and freshness by their ordinals. */
    public abstract SourceFacts source(int quantity, int freshness);

    /** Memory for a sample; null without native code. */
    abstract ByteBuffer memory();

    private static Clocks choose() {
        try {
            return NativeBinding.clocks();
        } catch (LinkageError | RuntimeException e) {
            // No library for this machine, no place to extract it, or native access is denied (IllegalCallerException).
            return new ManagementClocks(reason(e));
        }
    }

    private static String reason(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null) {
                return cause.getMessage();
            }
        }
        return e.toString();
    }
}
