// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.BudgetWatcher;
import java.time.Duration;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Work that may use a limited CPU time, on any number of threads: a query, a task, a tenant. Threads work on
 * it as on any {@link CpuWork}: in scopes, with wrapped tasks, or through {@link #metered}.
 *
 * <pre>{@code
 * CpuBudget query = new CpuBudget(Duration.ofMillis(100));
 * query.measure(() -> {
 *     while (hasNext()) {
 *         query.check();                   // throws when 100 ms are used up
 *         next();
 *     }
 * });
 * }</pre>
 *
 * <p>A watcher, one daemon thread that exists only while there is work with a budget, reads the clocks of its
 * threads, the more often the less is left. When nothing is left, {@link #check()} throws, no scope opens any
 * more, and the threads within scopes are interrupted, or an {@linkplain #onExhausted action} runs instead.
 * So it also reaches tasks that never check, if they respond to the one or the other. The interrupt status of
 * a thread that was interrupted is cleared when its scope closes, whoever else has interrupted it meanwhile;
 * within the scope of another exhausted budget, too. The limit is exceeded by what the threads use
 * until the watcher gets a CPU, and until the task responds: typically some milliseconds on each CPU.
 *
 * <p><b>It fails closed.</b> Where CPU time cannot be known (the kernel refuses its clocks, virtual threads
 * are not accounted for, or time is missing for one of the reasons of {@link #whyPartial()}), the budget is
 * exhausted at once, for good, and {@link #whyExhausted()} says why.
 */
public final class CpuBudget extends CpuWork {
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");
    /** Between two looks: while much is left, and at least. */
    private static final long LONGEST_NANOS = 100_000_000;
    private static final long SHORTEST_NANOS = 500_000;
    private static final int CPUS = Runtime.getRuntime().availableProcessors();

    private final long limitNanos;
    private final long periodNanos; // 0: never refilled
    private Runnable action;
    private long leftNanos;
    private long spentNanos; // at the last look
    private long lookNanos;
    private final ScopeRegistry.Sums soFar = new ScopeRegistry.Sums().prepared();
    private volatile String whyExhausted = "";

    private final BudgetWatcher.Watched watched = new BudgetWatcher.Watched() {
        @Override
        public long look() {
            return CpuBudget.this.look();
        }

        @Override
        public boolean isIdle() {
            // One that is exhausted, but not for good, would not open again.
            return !scopes.isOpen() && !(isExhausted() && periodNanos > 0 && !isPartial());
        }

        @Override
        public void fail(Throwable why) {
            scopes.partial("it could not be watched: " + why);
            exhaust(whyPartial());
        }
    };

    /** Thrown in work that has used up its budget; the message is {@link CpuBudget#whyExhausted()}. */
    public static final class Exhausted extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Exhausted(String why) {
            super(why);
        }
    }

    /**
     * Creates a budget.
     *
     * @param limit the CPU time of all threads together
     */
    public CpuBudget(Duration limit) {
        this(limit, Duration.ZERO);
    }

    /**
     * Creates a budget that is refilled steadily, for example of a tenant: in the long run its work uses at
     * most this limit in each period, and never more than it at once. An exhausted one is open again as soon
     * as it has something left.
     *
     * @param limit the CPU time of all threads together
     * @param period how long it takes to refill an empty budget; {@link Duration#ZERO}: it never is
     */
    public CpuBudget(Duration limit, Duration period) {
        super(new ScopeRegistry(true));
        action = scopes::interruptThreads;
        limitNanos = limit.toNanos();
        periodNanos = period.toNanos();
        if (limitNanos <= 0 || periodNanos < 0) {
            throw new IllegalArgumentException(
                    "a limit must be more than 0, and a period at least 0: " + limit + ", " + period);
        }
        leftNanos = limitNanos;
        lookNanos = System.nanoTime();
    }

    /**
     * Sets what happens when the budget is exhausted, instead of interrupting its threads.
     *
     * @param newAction runs once for each exhaustion, mostly in the watcher's thread: it must not block
     * @return this
     */
    public CpuBudget onExhausted(Runnable newAction) {
        action = Objects.requireNonNull(newAction, "newAction");
        return this;
    }

    /**
     * Does nothing while there is something left: a read of a field, to be called often.
     *
     * @throws Exhausted if the budget is exhausted
     */
    public void check() {
        String why = whyExhausted;
        if (!why.isEmpty()) {
            throw new Exhausted(why);
        }
    }

    /** {@return true if nothing is left; {@link #whyExhausted()} says why} */
    public boolean isExhausted() {
        return !whyExhausted.isEmpty();
    }

    /** {@return why nothing is left: it was used, or cannot be known; empty while there is something left} */
    public String whyExhausted() {
        return whyExhausted;
    }

    /**
     * {@inheritDoc}
     *
     * @throws Exhausted if the budget is exhausted
     */
    @Override
    public CpuBudget open() {
        check();
        super.open();
        if (isPartial()) {
            exhaust(whyPartial());
        }
        String why = whyExhausted; // once: a look may refill it
        if (!why.isEmpty()) {
            close();
            throw new Exhausted(why);
        }
        try {
            watched.watch();
        } catch (OutOfMemoryError e) { // there can be no more threads
            watched.fail(e);
            close();
            check();
        }
        return this;
    }

    /** Reads the clocks, and returns when to do so again. */
    private synchronized long look() {
        long now = System.nanoTime();
        scopes.read(soFar);
        long spent = Math.max(spentNanos, soFar.totalNanos());
        leftNanos -= spent - spentNanos;
        if (periodNanos > 0) {
            double refilled = (double) limitNanos / periodNanos * (now - lookNanos);
            leftNanos = refilled >= (double) limitNanos - leftNanos ? limitNanos
                    : leftNanos + (long) refilled;
        }
        spentNanos = spent;
        lookNanos = now;
        if (isPartial()) {
            exhaust(whyPartial());
        } else if (leftNanos <= 0) {
            exhaust("a budget of " + limitNanos / 1_000_000.0 + " ms of CPU time is used up");
        } else if (periodNanos > 0) {
            whyExhausted = "";
        }
        long next = !isExhausted() ? leftNanos / CPUS
                : periodNanos > 0 && !isPartial() ? (long) ((double) -leftNanos / limitNanos * periodNanos)
                        : LONGEST_NANOS;
        return Math.max(SHORTEST_NANOS, Math.min(LONGEST_NANOS, next));
    }

    private synchronized void exhaust(String why) {
        boolean isFirst = whyExhausted.isEmpty();
        whyExhausted = why;
        if (!isFirst) {
            return;
        }
        try {
            action.run();
        } catch (Throwable e) { // of the application; the watcher has other budgets
            LOGGER.log(Level.WARNING, "what a budget should do when it is exhausted has failed", e);
        }
    }
}
