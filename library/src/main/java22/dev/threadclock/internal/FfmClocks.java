// SPDX-License-Identifier: Apache-2.0
// The hot reads through the foreign function interface of JDK 22 and later.
package dev.threadclock.internal;

import java.lang.invoke.MethodHandle;

/**
 * Critical downcalls: the thread does not change its state to "in native", which is most of what JNI costs, and a safepoint
 * waits for it. So only reads that mostly make no system call, and at most one of less than 1 us; the others stay with JNI.
 *
 * <p>The handles are not final on purpose. C2 takes any call for one in which a safepoint can be met, and leaves out the poll
 * of a loop that makes one; a critical downcall that it builds into the loop meets none. A thread in
 * {@code while (!stop) sum += ThreadClock.userNanos();} then stops the whole JVM at the next collection: seen on JDK 26 and 27
 * with a handle in a static final field. A handle that is no constant is called, not built in, and its method polls when it
 * returns. That costs 1.3 ns.
 */
final class FfmClocks extends JniClocks {
    private static MethodHandle userTick = Downcall.ofNanos("threadclock_user_tick_ns");
    private static MethodHandle systemTick = Downcall.ofNanos("threadclock_system_tick_ns");
    private static MethodHandle totalTick = Downcall.ofNanos("threadclock_total_tick_ns");
    private static MethodHandle totalInterpolated = Downcall.ofNanos("threadclock_total_interpolated_ns");
    private static MethodHandle timesTick = Downcall.ofAddress("threadclock_times_tick");
    private static MethodHandle taskTick = Downcall.ofAddress("tc_task_tick");

    FfmClocks() {
        super("FFM");
    }

    @Override
    public long userTickNanos() {
        try {
            return orMinus1((long) userTick.invokeExact());
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long systemTickNanos() {
        try {
            return orMinus1((long) systemTick.invokeExact());
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long totalTickNanos() {
        try {
            return orMinus1((long) totalTick.invokeExact());
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public long totalInterpolatedNanos() {
        try {
            return orMinus1((long) totalInterpolated.invokeExact());
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public boolean timesTick(Sample sample) {
        try {
            return sample.times((int) timesTick.invokeExact(sample.address));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    public void taskTick(Sample sample) {
        try {
            sample.task((int) taskTick.invokeExact(sample.address));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long orMinus1(long nanos) {
        return nanos < 0 ? -1 : nanos;
    }

    /** A downcall declares Throwable and throws none but what the JVM itself does, a stack overflow. */
    private static Error unexpected(Throwable e) {
        return e instanceof Error ? (Error) e : new AssertionError(e);
    }
}
