// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The methods that {@link Rewriter} makes other classes call. This class is on the boot class path of JVMs
 * with rewritten classes, where the JDK's own class can see it. In other JVMs nothing calls it. Methods are
 * public because Engine has another class loader.
 */
public final class Reads {
    private static final StackWalker WALKER = StackWalker.getInstance();
    /** Keys are KIND=CLASS.METHOD: "user" or "total", and the caller. */
    private static final Map<String, LongAdder> BY_CALLER = new ConcurrentHashMap<>();

    private static volatile boolean counting;
    /** Whether operators also read user time. */
    private static volatile boolean userPerOperator;
    private static final ThreadLocal<long[]> LAST = ThreadLocal.withInitial(() -> new long[2]);
    private static final LongAdder INTERVALS = new LongAdder();
    private static final LongAdder USER_ABOVE_TOTAL = new LongAdder();
    private static final LongAdder USER_NANOS = new LongAdder();
    private static final LongAdder TOTAL_NANOS = new LongAdder();

    /** ThreadImpl's public methods call this first. kind: "user" or "total". */
    public static void count(String kind) {
        if (!counting) {
            return;
        }
        String caller = WALKER.walk(frames -> frames
                .filter(frame -> !frame.getClassName().startsWith("sun.management.")
                        && !frame.getClassName().equals(Reads.class.getName()))
                .findFirst().map(frame -> frame.getClassName() + "." + frame.getMethodName()).orElse("?"));
        BY_CALLER.computeIfAbsent(kind + "=" + caller, key -> new LongAdder()).increment();
    }

    public static Map<String, LongAdder> byCaller() {
        return BY_CALLER;
    }

    public static void switchCounting(boolean on) {
        counting = on;
    }

    public static void switchUserPerOperator(boolean on) {
        userPerOperator = on;
    }

    /** The total time at which an operation begins. OperationTimer's constructors call this. */
    public static long begin() {
        long totalNanos = Bean.BEAN.getCurrentThreadCpuTime();
        if (userPerOperator) {
            long[] last = LAST.get();
            last[0] = Bean.BEAN.getCurrentThreadUserTime();
            last[1] = totalNanos;
        }
        return totalNanos;
    }

    /** The total time at which an operation ends and the next may begin. Its other methods call this. */
    public static long end() {
        long totalNanos = Bean.BEAN.getCurrentThreadCpuTime();
        if (userPerOperator) {
            long[] last = LAST.get();
            long userNanos = Bean.BEAN.getCurrentThreadUserTime();
            // If it was switched on during an operation, the beginning is unknown.
            if (last[1] != 0) {
                add(userNanos - last[0], totalNanos - last[1]);
            }
            last[0] = userNanos;
            last[1] = totalNanos;
        }
        return totalNanos;
    }

    private static void add(long userNanos, long totalNanos) {
        INTERVALS.increment();
        USER_NANOS.add(userNanos);
        TOTAL_NANOS.add(totalNanos);
        if (userNanos > totalNanos) {
            USER_ABOVE_TOTAL.increment();
        }
    }

    /** Operations so far, those with user above total, and the sums of user and total nanoseconds. */
    public static long[] operations() {
        return new long[]{INTERVALS.sum(), USER_ABOVE_TOTAL.sum(), USER_NANOS.sum(), TOTAL_NANOS.sum()};
    }

    /** Initialized only when needed, because the bean's own class calls {@link #count}. */
    private static final class Bean {
        static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    }
}
