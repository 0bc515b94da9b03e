// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.JavaThread;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The sum of what several {@link CpuMeter}s measured: a task's CPU time over all its threads. Meters created
 * with it add each finished interval. Thread safe; adding never blocks and, once the adding threads have
 * settled, allocates nothing.
 *
 * <pre>{@code
 * CpuTotals requests = new CpuTotals();
 * ExecutorService pool = requests.metered(Executors.newFixedThreadPool(8));
 * pool.submit(() -> handle(request));
 * long userNanos = requests.userNanos();
 * }</pre>
 *
 * <p>Sums are exact while no meter is being stopped. An interval that could not be measured makes the sum of
 * that quantity unknown (-1) for good.
 *
 * <p><b>Measuring tasks.</b> {@code measure} and {@code measureCallable} run a task now, {@code wrap} and
 * {@code wrapCallable} return one that is measured whenever it runs, and {@code metered} an executor that
 * measures every task. Each run is one interval on the thread that runs it, whether the task returns or
 * throws; what it hands to other threads is not included. If a measured task runs another one in its own
 * thread, both intervals are added, so the inner one counts twice. On a virtual thread tasks run as well, but
 * their CPU time is unknown unless {@link VirtualThreads} accounts for it. These methods allocate a little
 * for each task; a {@link CpuMeter} does not.
 */
public final class CpuTotals {
    private final Sum user = new Sum();
    private final Sum system = new Sum();
    private final Sum total = new Sum();
    private final Sum wall = new Sum();
    private final LongAdder intervals = new LongAdder();
    private final Freshness freshness;
    private final Queue<CpuMeter> idle = new ConcurrentLinkedQueue<>(); // as many as tasks ever ran at once

    /** Creates totals of 0, measured with {@link Freshness#NOW}. */
    public CpuTotals() {
        this(Freshness.NOW);
    }

    /**
     * Creates totals of 0.
     *
     * @param freshness how tasks and {@link CpuMeter#CpuMeter(CpuTotals)} measure: {@link Freshness#NOW}; or
     *     {@link Freshness#TICK}, only if neither tasks nor their threads ever wait, because it measures far
     *     too little otherwise ({@link CpuMeter} explains this)
     * @throws IllegalArgumentException if freshness is {@link Freshness#INTERPOLATED}, which is available for
     *     total only
     */
    public CpuTotals(Freshness freshness) {
        this.freshness = CpuMeter.measurable(Objects.requireNonNull(freshness, "freshness"));
    }

    Freshness freshness() {
        return freshness;
    }

    /**
     * Begins an interval on the calling thread, for try-with-resources.
     *
     * @return a new meter that is running; closing it on this thread adds the interval
     * @throws IllegalStateException on a virtual thread that is not accounted for
     */
    public CpuMeter start() {
        return new CpuMeter(this).start();
    }

    /**
     * Runs a task and adds its interval.
     *
     * @param task the task
     */
    public void measure(Runnable task) {
        wrap(task).run();
    }

    /**
     * Runs a task and adds its interval.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     */
    public <T> T measure(Supplier<T> task) {
        return wrap(task).get();
    }

    /**
     * Runs a task that may throw a checked exception, and adds its interval.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     * @throws Exception what the task throws
     */
    public <T> T measureCallable(Callable<T> task) throws Exception {
        return wrapCallable(task).call();
    }

    /**
     * Returns a task that runs the given one and adds its interval, each time.
     *
     * @param task the task
     * @return the measured task
     */
    public Runnable wrap(Runnable task) {
        Objects.requireNonNull(task, "task");
        Body<Void, RuntimeException> body = () -> {
            task.run();
            return null;
        };
        return () -> run(body);
    }

    /**
     * Returns a task that runs the given one and adds its interval, each time; for example for
     * {@code CompletableFuture.supplyAsync}.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public <T> Supplier<T> wrap(Supplier<T> task) {
        Objects.requireNonNull(task, "task");
        Body<T, RuntimeException> body = task::get;
        return () -> run(body);
    }

    /**
     * Returns a task that runs the given one and adds its interval, each time.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public <T> Callable<T> wrapCallable(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        Body<T, Exception> body = task::call;
        return () -> run(body);
    }

    /**
     * Returns an executor that hands every task to the given one and adds its interval when it runs.
     * Everything else, including shutdown, is left to the given executor. Tasks that never run are not
     * counted.
     *
     * @param executor the executor that runs the tasks
     * @return the measuring executor
     */
    public ExecutorService metered(ExecutorService executor) {
        return new MeteredExecutor(this, Objects.requireNonNull(executor, "executor"));
    }

    private interface Body<T, E extends Exception> {
        T run() throws E;
    }

    /** On a virtual thread that is not accounted for, only elapsed time is known. */
    private <T, E extends Exception> T run(Body<T, E> body) throws E {
        long begun = System.nanoTime();
        Thread thread = Thread.currentThread();
        CpuMeter meter = null;
        if (!JavaThread.isCarried(thread) || VirtualThreads.isAccounting()) {
            meter = idle.poll();
            meter = (meter == null ? new CpuMeter(this) : meter).begin(thread);
        }
        try {
            return body.run();
        } finally {
            if (meter == null) {
                add(-1, -1, -1, System.nanoTime() - begun);
            } else {
                idle.add(meter.stop());
            }
        }
    }

    /**
     * Adds one interval; -1 stands for an unknown value.
     *
     * @param userNanos user time in nanoseconds
     * @param systemNanos system time in nanoseconds
     * @param totalNanos total CPU time in nanoseconds
     * @param wallNanos elapsed time in nanoseconds
     */
    public void add(long userNanos, long systemNanos, long totalNanos, long wallNanos) {
        addSigned(orUnknown(userNanos), orUnknown(systemNanos), orUnknown(totalNanos), orUnknown(wallNanos));
    }

    /** For CpuMeter: here CpuMeter.UNKNOWN stands for an unknown value, and any other may be negative. */
    void addSigned(long userNanos, long systemNanos, long totalNanos, long wallNanos) {
        user.add(userNanos);
        system.add(systemNanos);
        total.add(totalNanos);
        wall.add(wallNanos);
        intervals.increment();
    }

    private static long orUnknown(long nanos) {
        return nanos < 0 ? CpuMeter.UNKNOWN : nanos;
    }

    /** {@return user time in nanoseconds, or -1} */
    public long userNanos() {
        return user.nanos();
    }

    /** {@return system time in nanoseconds, or -1} */
    public long systemNanos() {
        return system.nanos();
    }

    /** {@return total CPU time in nanoseconds, or -1} */
    public long totalNanos() {
        return total.nanos();
    }

    /** {@return these CPU times as a value; of one moment only while no interval is being added} */
    public CpuSnapshot snapshot() {
        return new CpuSnapshot(userNanos(), systemNanos(), totalNanos());
    }

    /** {@return elapsed nanoseconds summed over threads: one second in each of two threads is two seconds} */
    public long wallNanos() {
        return wall.nanos();
    }

    /** {@return the number of intervals added} */
    public long intervals() {
        return intervals.sum();
    }

    @Override
    public String toString() {
        return snapshot() + ", wall " + wallNanos() + " ns in " + intervals() + " intervals";
    }

    private static final class Sum {
        private final LongAdder adder = new LongAdder();
        private volatile boolean unknown;

        void add(long nanos) {
            if (nanos == CpuMeter.UNKNOWN) {
                unknown = true;
            } else {
                adder.add(nanos);
            }
        }

        long nanos() {
            return unknown ? -1 : Math.max(0, adder.sum());
        }
    }
}
