// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/**
 * The CPU time of work on any number of threads, at once or one after the other: a request, a query, the
 * tasks of a pool. It is what each thread uses in its scopes, from {@link #open()} to {@link #close()}, or
 * while it runs a task that was given to one of the methods of {@link CpuTasks}. Thread safe.
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
 * true, and {@link #whyPartial()} says why: read the sum first. No method throws, except what tasks throw.
 *
 * <p><b>Virtual threads</b> have their own time while {@link VirtualThreads} accounts for them; otherwise
 * their scopes are missing. Their carriers are not measured, because what these use is the mounted threads'
 * time.
 *
 * <p><b>Cost.</b> Usually no system call. A thread's first scope takes a lock and allocates a few hundred
 * bytes; later ones allocate nothing and write to no memory that other threads write to. Reading takes the
 * longer the more threads have had scopes. A wrapped task is a small object.
 */
public class CpuWork extends CpuTasks implements AutoCloseable {
    final ScopeRegistry scopes;

    /**
     * Creates work that no thread has begun.
     *
     * @param extras what it measures besides CPU time; usually nothing
     */
    public CpuWork(Extra... extras) {
        this(new ScopeRegistry(false, extras));
    }

    CpuWork(ScopeRegistry scopes) {
        this.scopes = scopes;
    }

    /**
     * The calling thread begins to work on this. After the end this does nothing.
     *
     * @return this, for try-with-resources
     */
    public CpuWork open() {
        scopes.open();
        return this;
    }

    /**
     * The calling thread stops working on this, if this is its outermost scope. If it has no scope, this call
     * closes another thread's: because it is unknown which, all open scopes are dropped.
     */
    @Override
    public void close() {
        scopes.close(1);
    }

    /** The calling thread stops working on this: closes all of its scopes. */
    public void closeAll() {
        scopes.close(Integer.MAX_VALUE);
    }

    /**
     * Ends the work. Open scopes end here, on whatever threads they are: a thread that is still within one
     * has used what its clock says now. Scopes that are opened later count nothing, which is not partial.
     *
     * @return true if this was the first call
     */
    public boolean end() {
        return scopes.end();
    }

    @Override
    final Object begin(Object context) {
        return open();
    }

    @Override
    final void end(Object scope) {
        close();
    }

    /**
     * Adds CPU time that was measured elsewhere, for example in another process, or in a test that burns
     * none. After the end this does nothing.
     *
     * @param used what was used, as user and system time; unknown times (-1), or more than 70 years, make
     *     this partial
     */
    public void add(CpuSnapshot used) {
        if (Math.min(used.userNanos(), used.systemNanos()) < 0
                || Math.max(used.userNanos(), used.systemNanos()) > Long.MAX_VALUE / 4) {
            scopes.partial("CPU time was added that is not known");
        } else {
            scopes.add(used.userNanos(), used.systemNanos());
        }
    }

    /** {@return user time of the closed scopes in nanoseconds} */
    public long userNanos() {
        return scopes.sum(ScopeRegistry.USER, ScopeRegistry.USER);
    }

    /** {@return system time of the closed scopes in nanoseconds} */
    public long systemNanos() {
        return scopes.sum(ScopeRegistry.SYSTEM, ScopeRegistry.SYSTEM);
    }

    /** {@return total CPU time of the closed scopes in nanoseconds: user + system} */
    public long totalNanos() {
        return scopes.sum(ScopeRegistry.USER, ScopeRegistry.SYSTEM);
    }

    /**
     * {@return the bytes that the closed scopes have allocated on the Java heap; -1 if this was not made for
     * {@link Extra#ALLOCATED_BYTES}, or a scope was on a virtual thread, or if this JVM does not count them}
     */
    public long allocatedBytes() {
        return extra(Extra.ALLOCATED_BYTES);
    }

    /**
     * {@return how long the threads were runnable but had no CPU in the closed scopes, in nanoseconds; -1 if
     * this was not made for {@link Extra#WAITED}, or where {@link ThreadClock#waitedNanos()} is for a scope}
     */
    public long waitedNanos() {
        return extra(Extra.WAITED);
    }

    private long extra(Extra extra) {
        int value = ScopeRegistry.EXTRAS + extra.ordinal();
        return scopes.sum(value, value);
    }

    /** {@return these times as a value; user and system of one moment only while no scope is being closed} */
    public CpuSnapshot snapshot() {
        long userNanos = userNanos();
        long systemNanos = systemNanos();
        return new CpuSnapshot(userNanos, systemNanos, userNanos + systemNanos);
    }

    /** {@return the number of outermost scopes in the sums} */
    public long intervals() {
        return scopes.sum(ScopeRegistry.INTERVALS, ScopeRegistry.INTERVALS);
    }

    /** {@return true if the time of a scope is missing from the sums; {@link #whyPartial()} says why} */
    public boolean isPartial() {
        return !whyPartial().isEmpty();
    }

    /**
     * Why time is missing: a scope
     * <ul>
     * <li>was closed on another thread than it was opened on,
     * <li>was still open on a thread that has ended, or cannot be read at the {@linkplain #end() end},
     * <li>was on a virtual thread that {@link VirtualThreads} did not account for throughout,
     * <li>or was open when the process was restored from a checkpoint (CRIU, CRaC).
     * </ul>
     *
     * @return the first reason, as a sentence; empty if nothing is missing
     */
    public String whyPartial() {
        return scopes.whyPartial();
    }

    @Override
    public String toString() {
        return snapshot() + " in " + intervals() + " intervals"
                + (isPartial() ? ", partial: " + whyPartial() : "");
    }
}
