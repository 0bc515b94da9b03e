// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Where the CPU time of this process went by key: tenant, endpoint, job. Thread safe, and bounded however
 * many keys there are; made for metrics.
 *
 * <pre>{@code
 * CpuAttribution tenants = new CpuAttribution("tenant");
 * ExecutorService pool = tenants.inheriting().metered(Executors.newFixedThreadPool(8));
 * try (CpuAttribution.Scope running = tenants.open(request.tenant())) {
 *     handle(request);                                // what pool runs for it counts for this tenant, too
 * }
 * tenants.read().forEach((tenant, used) -> System.out.println(tenant + " " + used.totalNanos()));
 * }</pre>
 *
 * <p><b>Scopes.</b> From {@link #open} to {@link Scope#close}, what the calling thread uses counts for a key,
 * unless a scope within counts for another one: the innermost counts alone. On other threads nothing counts
 * unless they open scopes, for example as tasks of {@link #inheriting}. Scopes need not be closed in the
 * order of opening. Each is measured like an interval of {@link CpuMeter}; open ones are in each reading.
 *
 * <p><b>Guarantees</b>
 * <ol>
 * <li>The times of a reading add up to the process's CPU time at some moment of the reading.
 * <li>No time of a key, of {@link #OTHER} or {@link #UNATTRIBUTED} ever decreases, also not when a key comes
 * back into the readings.
 * <li>Nothing counts twice, and nothing for a key that did not use it.
 * <li>A reading has at most {@link #places()} keys, those that use most: a key takes another one's place if
 * it has used twice as much lately (what was used ten minutes earlier weighs half). What keys without a place
 * have used is in {@link #OTHER}.
 * <li>100 times as many keys are remembered, and of those each has all its time when it gets a place, or at
 * least what {@link #OTHER} can give without decreasing. Of keys that are forgotten because there are more,
 * the earlier time stays in {@link #OTHER}; those which had a place before never get one again.
 * </ol>
 *
 * <p><b>Never too much.</b> What cannot be measured is {@link #UNATTRIBUTED}, and {@link #whyPartial()} says
 * why: a scope was closed on another thread (its time after the last reading), its thread ended within it,
 * there was no memory for it, or it was on a virtual thread that {@link VirtualThreads} did not account for.
 * No method throws, except for {@link #read}, and what tasks throw.
 *
 * <p><b>Cost.</b> A scope costs little more than one of {@link CpuWork}, and writes to no memory that other
 * threads write to, except if a thread has met more than 64 keys since it last passed on their sums. Without
 * the native library scopes do nothing.
 */
public final class CpuAttribution {
    /** The key of all that have no place. */
    public static final String OTHER = "(other)";

    /** The key of what no scope has measured. */
    public static final String UNATTRIBUTED = "(unattributed)";

    /** The number of keys in a reading if no other is given. */
    public static final int DEFAULT_PLACES = 100;

    /** Of keys longer than this the time is in {@link #OTHER}. */
    public static final int LONGEST_KEY = 200;

    private static final boolean IS_NATIVE = Clocks.CLOCKS.whyNotNative().isEmpty();

    private final String name;
    private final int places;
    private final KeyedScopes scopes;

    /**
     * Creates an attribution with 100 places.
     *
     * @param name what the keys are, for metrics, for example {@code tenant}
     */
    public CpuAttribution(String name) {
        this(name, DEFAULT_PLACES);
    }

    /**
     * Creates an attribution.
     *
     * @param name what the keys are, for metrics, for example {@code tenant}
     * @param places the number of keys in a reading
     */
    public CpuAttribution(String name, int places) {
        if (places < 1 || places > 10_000) {
            throw new IllegalArgumentException("there must be 1 to 10000 places: " + places);
        }
        this.name = Objects.requireNonNull(name, "name");
        this.places = places;
        scopes = new KeyedScopes(places);
    }

    /** A thread's work for a key, until it is closed. */
    public static final class Scope implements AutoCloseable {
        static final Scope NONE = new Scope(null, null, null, null);
        private static final AtomicIntegerFieldUpdater<Scope> CLOSED = AtomicIntegerFieldUpdater
                .newUpdater(Scope.class, "closed");

        final KeyedScopes of;
        final KeyedScopes.KeyCell cell;
        final String key;
        final Scope outer;
        final int depth;
        private volatile int closed;

        Scope(KeyedScopes of, KeyedScopes.KeyCell cell, String key, Scope outer) {
            this.of = of;
            this.cell = cell;
            this.key = key;
            boolean isCut = outer != null && outer.depth == KeyedScopes.DEEPEST;
            this.outer = isCut ? null : outer;
            depth = this.outer == null ? 0 : outer.depth + 1;
        }

        boolean isClosed() {
            return closed != 0;
        }

        /** Cheaper than a volatile write: another thread may see it a moment later. */
        void setClosed() {
            CLOSED.lazySet(this, 1);
        }

        /** The thread stops working for this key; the enclosing scope counts again. A second call is void. */
        @Override
        public void close() {
            if (of != null) {
                of.close(this);
            }
        }
    }

    /**
     * The calling thread begins to work for a key.
     *
     * @param key the key; null or empty: until the scope is closed the time is unattributed
     * @return closes the scope
     */
    public Scope open(String key) {
        return IS_NATIVE ? scopes.open(key) : Scope.NONE;
    }

    /**
     * Tasks that count for one key.
     *
     * @param key the key
     * @return runs and wraps such tasks
     */
    public CpuTasks of(String key) {
        return new KeyedTasks(key, false);
    }

    /**
     * Tasks that are handed on: each counts for the key within which it was wrapped or submitted; where that
     * was none, it is unattributed.
     *
     * @return wraps such tasks
     */
    public CpuTasks inheriting() {
        return new KeyedTasks(null, true);
    }

    private final class KeyedTasks extends CpuTasks {
        private final String key;
        private final boolean inherits;

        KeyedTasks(String key, boolean inherits) {
            this.key = key;
            this.inherits = inherits;
        }

        @Override
        Object context() {
            return inherits ? scopes.key() : key;
        }

        @Override
        Object begin(Object context) {
            return open((String) context);
        }

        @Override
        void end(Object scope) {
            ((Scope) scope).close();
        }
    }

    /** {@return what the keys are, as given to the constructor} */
    public String name() {
        return name;
    }

    /** {@return the largest number of keys in a reading} */
    public int places() {
        return places;
    }

    /**
     * Reads what each key has used since it began, the dearest first, then {@link #OTHER} and
     * {@link #UNATTRIBUTED}; together this is the CPU time of the process. The total is precise. User and
     * system are divided as for {@link CpuMeter}. Costs what {@link ThreadClock#read(Thread, CpuTimes)} does
     * for each open scope, and some 20 ns for each key that a thread has met lately. A thread that opens its
     * first scope meanwhile, or passes on its sums, waits.
     *
     * @return the times by key
     * @throws IllegalStateException with the reason, without the native library, or if the kernel refuses
     */
    public Map<String, CpuSnapshot> read() {
        Clocks.CLOCKS.requireNative();
        return scopes.read(System.nanoTime());
    }

    /** {@return why a scope's time is unattributed: the first reason, as a sentence; empty if none is} */
    public String whyPartial() {
        return scopes.whyPartial();
    }
}
