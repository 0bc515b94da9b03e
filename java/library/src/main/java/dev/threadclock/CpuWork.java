// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The CPU time of work on any number of threads, at once or one after the other: a request, a query, the
 * tasks of a pool. It is what each thread uses in its scopes, from {@link #open()} to {@link #close()}, or
 * while it runs a task that was given to one of the methods below. Thread safe.
 *
 * <pre>{@code
 * CpuWork requests = new CpuWork();
 * ExecutorService pool = requests.metered(Executors.newFixedThreadPool(8)); // every task of the pool
 * int answer = requests.measure(() -> compute());                           // a task now
 * CompletableFuture.supplyAsync(requests.wrap(() -> compute()));            // a task later
 * try (CpuWork running = requests.open()) {                                 // a block
 *     handle();
 * }
 * long totalNanos = requests.totalNanos();
 * }</pre>
 *
 * <p>Each scope is measured like an interval of {@link CpuMeter}: precise, and user + system is total.
 * Scopes of the same work on one thread may be nested: its time counts once. Within scopes of another work,
 * it counts in both. What a task hands to other threads is included only if they open scopes of the same
 * work, for example as tasks of {@link #metered}.
 *
 * <p>To limit what work may use, see {@link CpuBudget}.
 *
 * <p><b>Never too much.</b> Time that cannot be measured is missing from the sums, {@link #isPartial()} is
 * true, and {@link #whyPartial()} says why. No method throws, except what tasks throw.
 *
 * <p><b>Virtual threads</b> have their own time while {@link VirtualThreads} accounts for them; otherwise
 * their scopes are missing. Their carriers are not measured, because what these use is the mounted threads'
 * time.
 *
 * <p><b>Cost.</b> Usually no system call, no lock that different threads share, and no allocation but a map
 * entry. A wrapped task is a small object, and so is a scope if more are open than ever before.
 */
public class CpuWork implements AutoCloseable {
    private static final Clocks CLOCKS = Clocks.CLOCKS;

    /** With this many threads in a scope, those that have ended are looked for. */
    private static final int MANY_SCOPES = 16;

    private static final String INTERRUPTED = "an error interrupted a thread that opened or closed a scope";

    /**
     * Scopes to use again, because a new one is expensive. Any thread takes any: one of its own in a thread
     * local would keep this class's loader from being unloaded, and would be of no use to virtual threads.
     */
    private static final AtomicReferenceArray<Scope> IDLE = new AtomicReferenceArray<>(256);
    private static final int TRIES = 4;

    private final LongAdder user = new LongAdder();
    private final LongAdder system = new LongAdder();
    private final LongAdder intervals = new LongAdder();
    private final Extras extras; // null: none
    /** Whoever removes a scope adds its time: its thread, or the one that ends the work. */
    private final Map<Thread, Scope> open = new ConcurrentHashMap<>(2);
    /** The open scopes of threads that another thread has dropped: their threads still close them. */
    private final Map<Thread, Integer> dropped = new ConcurrentHashMap<>(2);
    private final AtomicBoolean hasEnded = new AtomicBoolean();
    private volatile String whyPartial = "";

    /**
     * Creates work that no thread has begun.
     *
     * @param extras what it measures besides CPU time; usually nothing
     */
    public CpuWork(Extra... extras) {
        this.extras = Extras.of(extras);
    }

    /** A thread's outermost scope. */
    private static final class Scope {
        private final Reading reading = new Reading();
        private Extras.Begun begun; // null: was never needed
        private volatile int depth;
        private boolean isKnown;
        private volatile int uses; // a reader elsewhere notices when it is used again
        private volatile boolean isInterrupted;
    }

    /**
     * The calling thread begins to work on this. After the end this does nothing.
     *
     * @return this, for try-with-resources
     */
    public CpuWork open() {
        try {
            Thread thread = Thread.currentThread();
            Scope scope = open.get(thread);
            if (scope != null) {
                scope.depth = scope.depth + 1;
            } else if (!hasEnded.get() && !JavaThread.isCarrier(thread)) {
                begin(thread);
            }
            return this;
        } catch (StackOverflowError | OutOfMemoryError e) {
            whyPartial = INTERRUPTED; // without a call, for which there may be no stack
            throw e;
        }
    }

    private void begin(Thread thread) {
        if (open.size() >= MANY_SCOPES && open.keySet().removeIf(each -> !each.isAlive())) {
            partial("a thread ended within a scope");
        }
        if (!dropped.isEmpty()) {
            dropped.remove(thread);
        }
        Scope scope = idleOrNew(thread);
        scope.uses = scope.uses + 1;
        scope.depth = 1;
        scope.isInterrupted = false;
        if (extras != null) {
            scope.begun = scope.begun == null ? new Extras.Begun() : scope.begun;
            extras.begin(thread, scope.begun);
        }
        scope.isKnown = CLOCKS.begin(thread, scope.reading);
        if (!scope.isKnown) {
            partial(whyUnknown(thread));
        }
        open.put(thread, scope);
        if (hasEnded.get()) { // meanwhile
            open.remove(thread);
        }
    }

    private static Scope idleOrNew(Thread thread) {
        for (int i = 0, hash = System.identityHashCode(thread); i < TRIES; i++) {
            Scope scope = IDLE.getAndSet(hash + i & IDLE.length() - 1, null);
            if (scope != null) {
                return scope;
            }
        }
        return new Scope();
    }

    private static void keepIdle(Thread thread, Scope scope) {
        int hash = System.identityHashCode(thread);
        for (int i = 0; i < TRIES && !IDLE.compareAndSet(hash + i & IDLE.length() - 1, null, scope); i++) {
        }
    }

    /**
     * The calling thread stops working on this, if this is its outermost scope. If it has no scope, this call
     * closes another thread's: because it is unknown which, all open scopes are dropped.
     */
    @Override
    public void close() {
        close(1);
    }

    /** The calling thread stops working on this: closes all of its scopes. */
    public void closeAll() {
        close(Integer.MAX_VALUE);
    }

    private void close(int scopes) {
        try {
            Thread thread = Thread.currentThread();
            Scope scope = open.get(thread);
            if (scope == null) {
                if (!wasDropped(thread, scopes) && scopes == 1 && !JavaThread.isCarrier(thread)) {
                    dropAll("a scope was closed on another thread than it was opened on");
                }
            } else if (scope.depth > scopes) {
                scope.depth = scope.depth - scopes;
            } else {
                finish(thread, scope);
            }
        } catch (StackOverflowError | OutOfMemoryError e) {
            whyPartial = INTERRUPTED;
            throw e;
        }
    }

    /** Removed first: whoever reads the scope meanwhile would take what it has used for its beginning. */
    private void finish(Thread thread, Scope scope) {
        boolean isOurs = open.remove(thread) == scope;
        boolean isKnown = CLOCKS.end(thread, scope.reading);
        if (scope.isInterrupted) {
            Thread.interrupted(); // what runs next on this thread is not meant
        }
        if (!isOurs) {
            return; // the end has counted or dropped it
        }
        add(thread, scope, isKnown, scope.reading);
        keepIdle(thread, scope);
    }

    private void add(Thread thread, Scope scope, boolean isKnown, Reading used) {
        if (extras != null) {
            extras.end(thread, scope.begun);
        }
        if (scope.isKnown && isKnown) {
            user.add(used.userNanos);
            system.add(used.systemNanos);
            intervals.increment();
        } else {
            partial(whyUnknown(thread));
        }
    }

    private static String whyUnknown(Thread thread) {
        return JavaThread.isCarried(thread) ? VirtualThreads.whyUnknown()
                : "the kernel refused a clock, or the process was restored from a checkpoint";
    }

    /** True while a thread is within a scope. */
    final boolean isOpen() {
        return !open.isEmpty();
    }

    /**
     * Also of open scopes: their threads' clocks are read. One that is closed meanwhile is missing.
     *
     * @param used for its own use
     */
    final long spentSoFar(Reading used) {
        long spent = totalNanos();
        for (Map.Entry<Thread, Scope> each : open.entrySet()) {
            Scope scope = each.getValue();
            int uses = scope.uses;
            boolean isKnown = CLOCKS.soFar(each.getKey(), scope.reading, used);
            if (open.get(each.getKey()) == scope && scope.uses == uses) {
                if (isKnown) {
                    spent += used.totalNanos;
                } else {
                    partial("a scope is open on thread " + each.getKey().getName()
                            + ", which cannot be read");
                }
            }
        }
        return spent;
    }

    /** Interrupts each thread while it is within its scope, which it cannot leave during that. */
    final void interruptThreads() {
        for (Thread thread : open.keySet()) {
            open.computeIfPresent(thread, (same, scope) -> {
                scope.isInterrupted = true;
                same.interrupt();
                return scope;
            });
        }
    }

    final void partial(String why) {
        if (whyPartial.isEmpty()) {
            whyPartial = why;
        }
    }

    private void dropAll(String why) {
        dropped.keySet().removeIf(each -> !each.isAlive());
        open.forEach((thread, scope) -> {
            dropped.put(thread, scope.depth);
            open.remove(thread, scope);
            partial(why);
        });
    }

    /** Whether what this thread closes was dropped before: that is no reason to drop the others' again. */
    private boolean wasDropped(Thread thread, int scopes) {
        Integer depth = dropped.isEmpty() ? null : dropped.remove(thread);
        if (depth != null && depth > scopes) {
            dropped.put(thread, depth - scopes);
        }
        return depth != null;
    }

    /**
     * Ends the work. Open scopes end here, on whatever threads they are: a thread that is still within one
     * has used what its clock says now. Scopes that are opened later count nothing, which is not partial.
     *
     * @return true if this was the first call
     */
    public boolean end() {
        boolean isFirst = hasEnded.compareAndSet(false, true);
        if (isFirst && !open.isEmpty()) {
            closeAll();
            open.forEach(this::endElsewhere);
        }
        return isFirst;
    }

    /** Reads first, then takes the scope: if that succeeds, the thread was within it throughout. */
    private void endElsewhere(Thread thread, Scope scope) {
        Reading used = new Reading();
        int uses = scope.uses;
        boolean isKnown = CLOCKS.soFar(thread, scope.reading, used);
        if (scope.uses == uses && open.remove(thread, scope)) {
            if (isKnown) {
                add(thread, scope, true, used);
            } else {
                partial("a scope was still open on thread " + thread.getName() + ", which cannot be read");
            }
        }
    }

    /**
     * Runs a task in a scope.
     *
     * @param task the task
     */
    public void measure(Runnable task) {
        open();
        try {
            task.run();
        } finally {
            close();
        }
    }

    /**
     * Runs a task in a scope.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     */
    public <T> T measure(Supplier<T> task) {
        open();
        try {
            return task.get();
        } finally {
            close();
        }
    }

    /**
     * Runs a task that may throw a checked exception, in a scope.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return its result
     * @throws Exception what the task throws
     */
    public <T> T measureCallable(Callable<T> task) throws Exception {
        open();
        try {
            return task.call();
        } finally {
            close();
        }
    }

    /**
     * Returns a task that runs the given one in a scope, each time.
     *
     * @param task the task
     * @return the measured task
     */
    public Runnable wrap(Runnable task) {
        Objects.requireNonNull(task, "task");
        return () -> measure(task);
    }

    /**
     * Returns a task that runs the given one in a scope, each time; for example for
     * {@code CompletableFuture.supplyAsync}.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public <T> Supplier<T> wrap(Supplier<T> task) {
        Objects.requireNonNull(task, "task");
        return () -> measure(task);
    }

    /**
     * Returns a task that runs the given one in a scope, each time.
     *
     * @param task the task
     * @param <T> the type of its result
     * @return the measured task
     */
    public <T> Callable<T> wrapCallable(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        return () -> measureCallable(task);
    }

    /**
     * Returns an executor that hands every task to the given one and runs it in a scope. Everything else,
     * including shutdown, is left to the given executor. Tasks that never run are not counted.
     *
     * @param executor the executor that runs the tasks
     * @return the measuring executor
     */
    public ExecutorService metered(ExecutorService executor) {
        return new MeteredExecutor(this, Objects.requireNonNull(executor, "executor"));
    }

    /** {@return user time of the closed scopes in nanoseconds} */
    public long userNanos() {
        return user.sum();
    }

    /** {@return system time of the closed scopes in nanoseconds} */
    public long systemNanos() {
        return system.sum();
    }

    /** {@return total CPU time of the closed scopes in nanoseconds: user + system} */
    public long totalNanos() {
        return user.sum() + system.sum();
    }

    /**
     * {@return the bytes that the closed scopes have allocated on the Java heap; -1 if this was not made for
     * {@link Extra#ALLOCATED_BYTES}, or a scope was on a virtual thread, or if this JVM does not count them}
     */
    public long allocatedBytes() {
        return Extras.allocatedBytes(extras);
    }

    /**
     * {@return how long the threads were runnable but had no CPU in the closed scopes, in nanoseconds; -1 if
     * this was not made for {@link Extra#WAITED}, or where {@link ThreadClock#waitedNanos()} is for a scope}
     */
    public long waitedNanos() {
        return Extras.waitedNanos(extras);
    }

    /** {@return these times as a value; of one moment only while no scope is being closed} */
    public CpuSnapshot snapshot() {
        long userNanos = userNanos();
        long systemNanos = systemNanos();
        return new CpuSnapshot(userNanos, systemNanos, userNanos + systemNanos);
    }

    /** {@return the number of outermost scopes in the sums} */
    public long intervals() {
        return intervals.sum();
    }

    /** {@return true if the time of a scope is missing from the sums; {@link #whyPartial()} says why} */
    public boolean isPartial() {
        return !whyPartial.isEmpty();
    }

    /**
     * Why time is missing: a scope
     * <ul>
     * <li>was closed on another thread than it was opened on,
     * <li>was still open at the {@linkplain #end() end} on a thread that cannot be read or has ended,
     * <li>was on a virtual thread that {@link VirtualThreads} did not account for throughout,
     * <li>or was open when the process was restored from a checkpoint (CRIU, CRaC).
     * </ul>
     *
     * @return the first reason, as a sentence; empty if nothing is missing
     */
    public String whyPartial() {
        return whyPartial;
    }

    @Override
    public String toString() {
        return snapshot() + " in " + intervals() + " intervals"
                + (isPartial() ? ", partial: " + whyPartial : "");
    }
}
