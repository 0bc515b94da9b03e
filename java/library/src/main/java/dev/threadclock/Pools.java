// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.AccountKeeper.Sums;
import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.internal.OneWarning;
import dev.threadclock.internal.ThreadNames;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The pools of Java threads that an account shows. They are limited in number, because programs give threads
 * names of any kind. When all places are taken, a pool whose threads work gets that of a pool which has no
 * threads any more, not even short ones, or has been idle for long; if there is none, its threads' time goes
 * to a common pool.
 *
 * <p>What a pool has used moves to the past pools when it loses its place; if it comes back, it begins at
 * zero. So the pools always add up, and no pool that is shown decreases.
 */
final class Pools {
    private static final String OTHER = "(other)";

    private final int max;
    private final long idleNanos;
    private final OneWarning tooMany;
    private final Map<String, Pool> shown = new LinkedHashMap<>();
    private final Pool other = new Pool(OTHER);
    private final Pool past = new Pool(CpuAccount.PAST_POOLS);
    private long now = System.nanoTime();
    private long before; // the last pass
    private boolean hasNoPlace; // in this pass

    /**
     * @param max the number of places, without those of the common and the past pools
     * @param idleNanos how long a pool that has threads keeps its place without using CPU time
     */
    Pools(int max, long idleNanos) {
        this.max = max;
        this.idleNanos = idleNanos;
        tooMany = new OneWarning("the CPU account has " + max + " pools of threads that work: the time of"
                + " further ones goes to the pool " + OTHER + ". Threads of one pool should have names that"
                + " differ in nothing but numbers");
    }

    static final class Pool extends Sums {
        private long idleSince;
        private int threadsBefore; // of the last pass
        private boolean hasPlace = true;

        Pool(String name) {
            super(Kind.JAVA, name);
        }
    }

    /** Begins a pass. */
    void begin() {
        before = now;
        now = System.nanoTime();
        hasNoPlace = false;
        for (Pool pool : shown.values()) {
            pool.threadsBefore = pool.threads;
            pool.threads = 0;
        }
    }

    /** The pool of a thread that has a new name. */
    Sums of(String threadName) {
        String name = ThreadNames.pool(threadName);
        Pool pool = shown.get(name);
        if (pool != null) {
            return pool;
        }
        int common = (shown.containsKey(OTHER) ? 1 : 0) + (shown.containsKey(past.name) ? 1 : 0);
        if (shown.size() - common >= max && !makePlace()) {
            shown.put(OTHER, other);
            return other;
        }
        pool = new Pool(name);
        pool.idleSince = now;
        shown.put(name, pool);
        return pool;
    }

    /** Whether a thread that has used CPU time must be given its pool anew. */
    boolean isUnsettled(Sums group) {
        return group == other ? !hasNoPlace : group instanceof Pool && !((Pool) group).hasPlace;
    }

    /** Notes that a pool's thread has used CPU time in this pass. */
    void works(Sums group) {
        if (group instanceof Pool) {
            ((Pool) group).idleSince = now;
        }
    }

    private boolean makePlace() {
        if (hasNoPlace) {
            return false;
        }
        Pool longest = null;
        for (Pool pool : shown.values()) {
            boolean isEmpty = pool.threads == 0 && pool.threadsBefore == 0 && pool.idleSince - before < 0;
            if (pool != other && pool != past && (isEmpty || now - pool.idleSince > idleNanos)
                    && (longest == null || pool.idleSince - longest.idleSince < 0)) {
                longest = pool;
            }
        }
        hasNoPlace = longest == null;
        if (longest != null) {
            longest.hasPlace = false;
            shown.remove(longest.name);
            past.add(longest.userNanos(), longest.totalNanos());
            past.waited += longest.waited;
            shown.put(past.name, past);
        }
        return longest != null;
    }

    Collection<? extends Sums> shown() {
        return shown.values();
    }

    /** Logs once that time had to go to the common pool, if it had. */
    void warn() {
        if (shown.containsKey(OTHER)) {
            tooMany.log();
        }
    }
}
