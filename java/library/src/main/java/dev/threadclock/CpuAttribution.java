// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.Native;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

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
 * <p><b>Scopes.</b> From {@link #open} to {@link Scope#close}, what the calling thread uses counts for a
 * key, unless a scope within counts for another one: the innermost counts alone. On other threads nothing
 * counts unless they open scopes, for example as tasks of {@link #inheriting}. Scopes need not be closed
 * in the order of opening. Each is measured like an interval of {@link CpuMeter}; open ones are in each
 * reading. Each must be closed: one that is not counts until its thread has 1,000 of them.
 *
 * <p><b>Guarantees</b>
 * <ol>
 * <li>The times of a reading add up to the process's CPU time at some moment of the reading: those of keys,
 * of {@link #PAST}, {@link #OTHER} and {@link #UNATTRIBUTED}.
 * <li>None of them decreases while it is in the readings. A key that has lost its place and comes back begins
 * again, and what it showed before stays in {@link #PAST}.
 * <li>CPU time is counted once, and never for a key that did not use it.
 * <li>A reading has a bounded number of keys, those that use most: a key takes another one's place if it has
 * used twice as much lately (what was used ten minutes earlier weighs half). What keys use without a place is
 * in {@link #OTHER}; a key that gets a place takes its share from there as far as {@link #OTHER} does not
 * decrease.
 * <li>100 times as many keys as places are remembered, 20,000 at most; further ones are in {@link #OTHER}
 * until the next reading, which forgets the cheaper half. So are scopes that are open with them, until they
 * are closed.
 * </ol>
 *
 * <p><b>Never too much.</b> What cannot be measured is {@link #UNATTRIBUTED}, and {@link #whyPartial()}
 * says why: a scope's thread ended within it (what no reading has seen), more than 1,000 were open on one
 * thread, or it was on a virtual thread that {@link VirtualThreads} did not account for. If a scope is
 * closed on another thread, or there is no memory or stack for one, all scopes of its thread end there.
 * Only {@link #read}, {@link #exportToAgent}, constructors and tasks throw; any call may throw {@link
 * StackOverflowError}, on a stack that is exhausted already. After a restore from a checkpoint, {@link
 * #UNATTRIBUTED} stands still until the process's clock has reached what it showed before.
 *
 * <p><b>Keys</b> are kept as strings. If clients choose them, as they do in OpenTelemetry's baggage, they are
 * not to be trusted: one client can use another's key, or so many that new ones are {@link #OTHER}, but
 * memory stays bounded. Bill only by authenticated keys.
 *
 * <p><b>Cost.</b> A scope costs a fifth to a half more than one of {@link CpuWork}; an outermost one
 * allocates nothing. A lock, which readings hold, is taken for a thread's first scope, for a new key, for
 * a scope that another thread closes, and once for each 128 intervals of a thread. A thread for each
 * request, virtual ones too, pays for a first scope each time. Without the native library scopes do
 * nothing.
 */
public final class CpuAttribution {
    /** The key of all that have no place. */
    public static final String OTHER = "(other)";

    /** The key for the time of keys that were replaced. */
    public static final String PAST = "(past keys)";

    /** The key of what no scope has measured. */
    public static final String UNATTRIBUTED = "(unattributed)";

    static final int LONGEST_KEY = 200;

    private static final int PLACES = 100;
    private static final int MOST_PLACES = 900;
    private static final boolean IS_NATIVE = Clocks.whyNotNative().isEmpty();

    static {
        if (IS_NATIVE) { // initializes what scopes use: a class for which there was no stack stays unusable
            new KeyedScopes(1).open(OTHER).close();
        }
    }

    private final String name;
    private final KeyedScopes scopes;

    /**
     * Creates an attribution whose readings have at most 100 keys.
     *
     * @param name what the keys are, for metrics, for example {@code tenant}
     */
    public CpuAttribution(String name) {
        this(name, PLACES);
    }

    /**
     * Creates an attribution.
     *
     * @param name what the keys are, for metrics, for example {@code tenant}
     * @param places the largest number of keys in a reading, 1 to 900
     */
    public CpuAttribution(String name, int places) {
        if (places < 1 || places > MOST_PLACES) {
            throw new IllegalArgumentException("there must be 1 to " + MOST_PLACES + " places: " + places);
        }
        this.name = Objects.requireNonNull(name, "name");
        scopes = new KeyedScopes(places);
    }

    /** A thread's work for a key, until it is closed. */
    public static final class Scope implements AutoCloseable {
        static final Scope NONE = new Scope(null, null, 0);

        final KeyedScopes.KeyCell cell;
        final int depth;
        long id; // of its thread's scopes
        boolean isClosed = true;
        private final KeyedScopes of;

        Scope(KeyedScopes of, KeyedScopes.KeyCell cell, int depth) {
            this.of = of;
            this.cell = cell;
            this.depth = depth;
        }

        /**
         * The thread stops working for this key; the enclosing scope counts again. A second call is void
         * until its thread has opened another outermost scope. Then it closes that one, because their object
         * is the same, and what follows is unattributed.
         */
        @Override
        public void close() {
            if (isClosed) {
                return;
            }
            isClosed = true;
            try {
                of.closed(this);
            } catch (Throwable e) { // as in open()
                of.whyPartial = ScopeRegistry.INTERRUPTED;
                if (cell.voidFrom > cell.own.state >> 1) {
                    cell.voidFrom = cell.own.state >> 1;
                }
            }
        }
    }

    /**
     * The calling thread begins to work for a key.
     *
     * @param key the key; null or empty: until the scope is closed the time is unattributed; longer than 200
     *     characters, or named as one of the constants: it is in {@link #OTHER}
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
        return new KeyedTasks(() -> key);
    }

    /**
     * Tasks that are handed on: each counts for the key within which it was wrapped or submitted; where that
     * was none, it is unattributed.
     *
     * @return wraps such tasks
     */
    public CpuTasks inheriting() {
        return new KeyedTasks(scopes::key);
    }

    private final class KeyedTasks extends CpuTasks {
        private final Supplier<String> key;

        KeyedTasks(Supplier<String> key) {
            this.key = key;
        }

        @Override
        Object context() {
            return key.get();
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

    /**
     * Reads what each key has used since it got its place, the dearest first, then {@link #PAST},
     * {@link #OTHER} and {@link #UNATTRIBUTED}; together this is the CPU time of the process. The total is
     * precise. User and system are divided as for {@link CpuMeter}. Costs what
     * {@link ThreadClock#read(Thread, CpuTimes)} does for each open scope, and 100 to 200 ns for each
     * remembered key. Holds the lock, see Cost.
     *
     * @return the times by key
     * @throws IllegalStateException with the reason, without the native library, or if the kernel refuses
     */
    public Map<String, CpuSnapshot> read() {
        Clocks.requireNative();
        return scopes.read(System.nanoTime());
    }

    /**
     * Adds the readings to what the agent serves with its option {@code prometheus=}, as {@code
     * threadclock_key_cpu_time_seconds_total}. Whoever can connect there sees the keys.
     *
     * <p>They are served as long as this attribution is reachable, unless another one of the same name is
     * exported later, for example by the redeployed application. At most 16 are served, the last ones. The
     * agent may be loaded before or after this call, or not at all. A thread of the agent calls {@link #read}
     * once for all scrapes within 100 ms. If that fails, or takes longer than a second, they are served
     * without keys. Without the native library this call does nothing.
     *
     * @return this attribution
     * @throws IllegalStateException if the kernel refuses the process's CPU clock
     */
    public CpuAttribution exportToAgent() {
        if (IS_NATIVE) {
            scopes.get(); // loads the classes that a reading needs here, and not on the agent's thread
            Native.exportKeys(name, scopes);
        }
        return this;
    }

    /** {@return a reason why a scope's time is unattributed, as a sentence; empty if there is none} */
    public String whyPartial() {
        return scopes.whyPartial();
    }
}
