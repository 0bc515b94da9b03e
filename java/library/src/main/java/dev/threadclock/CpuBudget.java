// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.BudgetWatcher;
import dev.threadclock.internal.JavaThread;
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
 * threads, more often as less is left. When nothing is left, {@link #check()} throws, no further scope opens,
 * and the threads within scopes are interrupted, or an {@linkplain #onExhausted action} runs instead. So it
 * also stops tasks that respond to interrupts but never check. When an interrupted thread's scope closes, its
 * interrupt status is cleared, even if something else has interrupted it too, and within the scope of another
 * exhausted budget. The limit is exceeded by what the threads use until the watcher gets a CPU and the task
 * responds: typically some milliseconds on each CPU.
 *
 * <p>The first budget of a JVM takes the longest to make: a trial budget is exhausted first, so that all
 * classes are loaded.
 *
 * <p><b>It fails closed.</b> Where CPU time cannot be known (the kernel refuses its clocks, virtual threads
 * are not accounted for, or time is missing for one of the reasons of {@link #whyPartial()}), or the budget
 * cannot be watched (no memory for a thread), it is exhausted at once, for good, and {@link #whyExhausted()}
 * says why.
 */
public final class CpuBudget extends CpuWork {
    /** Between two looks: while much is left, and at least. */
    private static final long LONGEST_NANOS = 100_000_000;
    private static final long SHORTEST_NANOS = 500_000;
    private static final long LONGEST_REHEARSAL_MILLIS = 1000;

    private static final String USED_UP = "it is used up"; // by identity
    private static final String FAILED = "it could not be watched";
    private static final String THREAD = "threadclock-budgets";

    private static volatile boolean isRehearsed;

    private final Allowance allowance; // guarded by itself, as the next three
    private long spentNanos; // at the last look
    private long lookNanos;
    private final ScopeRegistry.Sums sums = new ScopeRegistry.Sums().prepared();
    private Runnable action; // null: its threads are interrupted
    private volatile boolean isActionDue;
    private volatile String whyExhausted = ""; // or USED_UP
    private volatile long reopensNanos; // not before this, if it is used up and refilled
    private volatile Throwable failure;

    final BudgetWatcher.Watched watched = new BudgetWatcher.Watched() {
        @Override
        public long look() {
            return CpuBudget.this.look();
        }

        @Override
        public boolean isIdle() {
            return !scopes.isOpen();
        }

        @Override
        public Runnable takeAction() {
            return CpuBudget.this.takeAction();
        }

        @Override
        public void fail(Throwable why) {
            failure = why;
            scopes.partial(FAILED);
            exhaust(FAILED);
            interruptIfDue();
        }
    };

    /** What is left of a limit that is refilled steadily. */
    static final class Allowance {
        private static final int CPUS = Runtime.getRuntime().availableProcessors();

        private final long limitNanos;
        private final long periodNanos; // 0: never refilled
        private long leftNanos;
        private double fraction; // that was refilled besides

        Allowance(long limitNanos, long periodNanos) {
            this.limitNanos = limitNanos;
            this.periodNanos = periodNanos;
            leftNanos = limitNanos;
        }

        /** This much time has passed, and this much of it was CPU time. */
        void pass(long elapsedNanos, long spentNanos) {
            long left = leftNanos - spentNanos;
            double refill = periodNanos == 0 ? 0
                    : fraction + (double) limitNanos / periodNanos * elapsedNanos;
            boolean isFull = refill >= (double) limitNanos - left && periodNanos > 0;
            leftNanos = isFull ? limitNanos : left + (long) refill;
            fraction = isFull ? 0 : refill - (long) refill;
        }

        long leftNanos() {
            return leftNanos;
        }

        /** How long something is left at least, whatever all CPUs do, or until something is again. */
        long nextNanos() {
            return leftNanos > 0 ? leftNanos / CPUS : untilOpenNanos();
        }

        /** How long it takes until something is left, if nothing is spent meanwhile. */
        long untilOpenNanos() {
            double nanos = (1.0 - leftNanos - fraction) / limitNanos * periodNanos;
            return periodNanos == 0 ? Long.MAX_VALUE / 2 : (long) Math.min(nanos, Long.MAX_VALUE / 2);
        }
    }

    /**
     * Uses up a budget before the first one is made, and so initializes all classes that budgets need, in a
     * thread with a whole stack: a class that runs out of stack or memory while it is initialized is lost to
     * its JVM, and no budget could ever be watched. The caller's stack may not even suffice to make a thread
     * that inherits nothing from the caller: a first thread, which does inherit, makes that and ends.
     */
    private static final class Rehearsal implements Runnable {
        private static volatile Thread running; // changed with this class's lock; or it has ended

        private final boolean isFirst;

        private Rehearsal(boolean isFirst) {
            this.isFirst = isFirst;
        }

        /** Null if none is needed: one may have ended while the caller waited for the lock. */
        private static synchronized Thread start() {
            if (!isRehearsed && (running == null || !running.isAlive())) {
                Thread first = new Thread(new Rehearsal(true), THREAD);
                first.setDaemon(true);
                first.start();
                running = first;
            }
            return running;
        }

        private static synchronized void replaceBy(Thread next) {
            running = next;
        }

        /** Waits for the one rehearsal that is running; but not for ever, for a class loader that we lock. */
        static void await() throws InterruptedException {
            Thread first = start();
            if (first != null) {
                first.join(LONGEST_REHEARSAL_MILLIS);
            }
            Thread second = running;
            if (second != null) {
                second.join(LONGEST_REHEARSAL_MILLIS);
            }
        }

        @Override
        public void run() {
            Thread next = null;
            try {
                if (isFirst) {
                    Thread second = JavaThread.newDaemon(new Rehearsal(false), THREAD);
                    second.start();
                    next = second;
                } else {
                    useUp();
                }
            } catch (Throwable e) {
                // The next budget tries again.
            }
            replaceBy(next);
        }

        private static void useUp() {
            CpuBudget budget = new CpuBudget(new ScopeRegistry(true), Duration.ofNanos(1), Duration.ZERO);
            try (CpuBudget open = budget.open()) {
                for (;;) {
                    open.check();
                }
            } catch (Exhausted e) {
                isRehearsed = budget.failure == null;
            }
        }
    }

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
        this(rehearsed(), limit, period);
    }

    private CpuBudget(ScopeRegistry scopes, Duration limit, Duration period) {
        super(scopes);
        try {
            allowance = new Allowance(limit.toNanos(), period.toNanos());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "a limit and a period must be less than 292 years: " + limit + ", " + period);
        }
        if (allowance.limitNanos <= 0 || allowance.periodNanos < 0) {
            throw new IllegalArgumentException(
                    "a limit must be more than 0, and a period at least 0: " + limit + ", " + period);
        }
        lookNanos = System.nanoTime();
    }

    private static ScopeRegistry rehearsed() {
        if (!isRehearsed) {
            try {
                Rehearsal.await();
            } catch (OutOfMemoryError e) {
                // There can be no more threads: open() says so, and the next budget tries again.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return new ScopeRegistry(true);
    }

    /**
     * Sets what happens when the budget is exhausted, instead of interrupting its threads.
     *
     * @param newAction runs once for each exhaustion, mostly in a thread that has watched until then; if it
     *     blocks while the JVM can start no other, no budget is watched
     * @return this
     */
    public CpuBudget onExhausted(Runnable newAction) {
        Objects.requireNonNull(newAction, "newAction");
        Logger logger = Logger.getLogger("dev.threadclock"); // now: later there may be no memory
        action = () -> {
            try {
                newAction.run();
            } catch (Throwable e) {
                logger.log(Level.WARNING, "the action of an exhausted budget failed", e);
            }
        };
        return this;
    }

    /**
     * Does nothing while there is something left: a read of a field, to be called often.
     *
     * @throws Exhausted if the budget is exhausted
     */
    public void check() {
        String why = reason();
        if (!why.isEmpty()) {
            throw new Exhausted(text(why));
        }
    }

    /** {@return true if nothing is left; {@link #whyExhausted()} says why} */
    public boolean isExhausted() {
        return !reason().isEmpty();
    }

    /** {@return why nothing is left: it was used, or cannot be known; empty while there is something left} */
    public String whyExhausted() {
        return text(reason());
    }

    /** Allocates nothing. */
    private String reason() {
        if (whyExhausted == USED_UP && allowance.periodNanos > 0
                && System.nanoTime() - reopensNanos >= 0) {
            look(); // it is not watched while no scope is open
        }
        return whyExhausted;
    }

    private String text(String why) {
        return why == USED_UP
                ? "a budget of " + allowance.limitNanos / 1_000_000.0 + " ms of CPU time is used up"
                : why == FAILED ? FAILED + ": " + failure : why;
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
        String why = FAILED;
        try {
            why = watchedReason();
        } finally { // an error too leaves no scope open
            if (!why.isEmpty()) {
                close();
            }
        }
        if (!why.isEmpty()) {
            throw new Exhausted(text(why));
        }
        return this;
    }

    /** {@inheritDoc} A budget that is used up by this is exhausted when this returns. */
    @Override
    public void add(CpuSnapshot used) {
        super.add(used);
        look();
        Runnable due = takeAction();
        if (due != null) {
            due.run();
        }
    }

    private String watchedReason() {
        try {
            watched.watch();
        } catch (Throwable e) { // there can be no more threads, for example
            watched.fail(e);
        }
        if (isPartial()) {
            exhaust(whyPartial());
            interruptIfDue();
            Runnable due = takeAction();
            if (due != null) {
                due.run();
            }
        }
        return reason(); // once: a look may refill it
    }

    /** Reads the clocks, and returns when to do so again; negative: there is nothing more to do. */
    private long look() {
        long next;
        synchronized (allowance) {
            if (!isPartial()) {
                scopes.read(sums);
                long now = System.nanoTime();
                long spent = Math.max(spentNanos, sums.totalNanos());
                allowance.pass(now - lookNanos, spent - spentNanos);
                spentNanos = spent;
                lookNanos = now;
            }
            next = Math.max(SHORTEST_NANOS, allowance.nextNanos());
            reopensNanos = lookNanos + next;
            if (isPartial()) {
                exhaust(whyPartial());
                next = -1;
            } else if (allowance.leftNanos <= 0) {
                exhaust(USED_UP);
                next = allowance.periodNanos == 0 ? -1 : next;
            } else if (!whyExhausted.isEmpty()) {
                isActionDue = false;
                whyExhausted = "";
            }
        }
        interruptIfDue();
        return isActionDue && action == null ? SHORTEST_NANOS : Math.min(LONGEST_NANOS, next);
    }

    /** The consequences run without the lock, because they may be the application's code. */
    private void exhaust(String why) {
        synchronized (allowance) {
            isActionDue |= whyExhausted.isEmpty();
            whyExhausted = why;
        }
    }

    private void interruptIfDue() {
        if (isActionDue && action == null && scopes.interruptThreads()) {
            isActionDue = false;
        }
    }

    private Runnable takeAction() {
        if (!isActionDue || action == null) {
            return null;
        }
        synchronized (allowance) {
            Runnable taken = isActionDue ? action : null;
            isActionDue = false;
            return taken;
        }
    }
}
