// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.invoke.MethodHandle;

/**
 * The hot reads through the foreign function interface (FFM) of JDK 22 and later. They are critical
 * downcalls: the thread skips the transition to the state "in native", which is most of the cost of JNI, but
 * a safepoint has to wait for it. So only reads that usually make no system call, and at most two that take
 * less than 1 us, use FFM; the others stay with JNI.
 *
 * <p>The handles are deliberately not final. C2 assumes that any call contains a safepoint poll, and omits
 * the poll of a loop that makes one; but a critical downcall inlined into the loop has no poll. A thread in
 * {@code while (!stop) sum += ThreadClock.userNanos();} then stops the whole JVM at the next collection: seen
 * on JDK 26 and 27 with a handle in a static final field. A handle that is not a constant is called rather
 * than inlined, and its method polls when it returns. That costs 1.3 ns.
 */
final class FfmClocks extends JniClocks {
    private static MethodHandle userTick = Downcall.ofNanos("threadclock_user_tick_ns");
    private static MethodHandle systemTick = Downcall.ofNanos("threadclock_system_tick_ns");
    private static MethodHandle totalTick = Downcall.ofNanos("threadclock_total_tick_ns");
    private static MethodHandle totalInterpolated = Downcall.ofNanos("threadclock_total_interpolated_ns");
    private static MethodHandle timesTick = Downcall.ofAddress("threadclock_times_tick");
    private static MethodHandle intervalBegin = Downcall.ofAddress("threadclock_interval_begin");
    private static MethodHandle intervalEnd = Downcall.ofAddress("tc_interval_end_in_place");

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
    public boolean timesTick(Reading reading) {
        try {
            return reading.times((int) timesTick.invokeExact(reading.address));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    int intervalBegin(long address) {
        try {
            return (int) intervalBegin.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    int intervalEnd(long address) {
        try {
            return (int) intervalEnd.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static long orMinus1(long nanos) {
        return nanos < 0 ? -1 : nanos;
    }

    /** A downcall handle declares Throwable, but only the JVM itself can cause one: a stack overflow. */
    private static Error unexpected(Throwable e) {
        return e instanceof Error ? (Error) e : new AssertionError(e);
    }
}
