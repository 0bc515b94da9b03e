// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuAttribution.Scope;
import dev.threadclock.KeyTable.Key;
import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The open scopes of an attribution, and the last intervals of each thread. Of a thread's scopes the
 * innermost counts: opening and closing one ends the interval of another, and a thread has at most one open.
 *
 * <p><b>Guarantees</b>
 * <ol>
 * <li>An interval's time is at every moment in exactly one of: its clock, its record, the table of keys.
 * <li>What a reading has seen of an interval stays with its key, whatever happens later.
 * <li>After a failure (no memory, no stack, a scope closed on another thread) the thread's time is
 * unattributed until it next opens a scope, which is then its only one. No failure reaches the caller. From
 * the moment that a thread's cell is known, none counts time for a wrong key.
 * <li>open() and close() write to what other threads write to only for a thread's first scope, for a key that
 * is not known, after a failure, and when a thread's records are full: once in 128 intervals. Then they take
 * the lock, which a reading holds.
 * </ol>
 *
 * <p><b>How.</b> A thread's state counts its intervals, as in the registry. close() writes a record, then the
 * next state, which makes the record valid and ends the interval at once (1). Under the lock a reading takes
 * in the records up to that state, each once, and reads the clock of the open interval; if the state is the
 * same after that, it belongs to it, and otherwise there is a record by now (2). A failure marks its
 * interval and all later ones as void, by a plain store, because there may be no stack for a call; so does
 * another thread that closes a scope. That holds for whatever the thread does meanwhile, until it has seen
 * the mark: then it ends its interval, has all void records taken in under the lock, and forgets its scopes
 * (3).
 */
class KeyedScopes extends ScopeRegistry implements Supplier<Object[]> {
    /** Of scopes within one another; more are taken for some that were never closed. */
    static final int DEEPEST = 1000;

    static final long NEVER = Long.MAX_VALUE;

    private static final int FEWEST_RECORDS = 8;
    private static final int MOST_RECORDS = 128;

    private final KeyTable keys; // guarded by this
    private final Reading process = new Reading(); // as the next
    private final Reading used = new Reading();

    KeyedScopes(int places) {
        super(false);
        keys = new KeyTable(places);
    }

    /**
     * A thread's open scopes, and its records, which are replaced under the lock only. Scopes are numbers:
     * references to new objects would cost collectors' barriers. No field is private, because an outer class
     * gets at those by calls.
     */
    static final class Own extends Words {
        long[] ids = new long[FEWEST_RECORDS]; // of its scopes by depth; 0: closed within the others
        Key[] scopeKeys = new Key[FEWEST_RECORDS];
        int depth;
        long lastId;
        Key[] keys = new Key[FEWEST_RECORDS]; // written before their intervals begin
        long[] nanos = new long[2 * FEWEST_RECORDS]; // user and total; -1: not known

        /** The key of the innermost scope; null: none. */
        Key innermost() {
            return depth == 0 ? null : scopeKeys[depth - 1];
        }

        /** The key of the interval with this number; before the first, null. */
        Key key(long interval) {
            return keys[(int) interval & keys.length - 1];
        }

        /** True if what is open, or nothing, is right while this is the innermost key. */
        boolean isFor(Key key) {
            long now = state;
            return (now & 1) == 0 ? key == null : key(now >> 1) == key;
        }

        void remove(Scope scope) {
            if (scope.depth < depth && ids[scope.depth] == scope.id) {
                ids[scope.depth] = 0;
            }
            while (depth > 0 && ids[depth - 1] == 0) {
                depth--;
            }
        }

        void grow() {
            int length = Math.min(DEEPEST, 4 * ids.length);
            Key[] more = Arrays.copyOf(scopeKeys, length);
            ids = Arrays.copyOf(ids, length);
            scopeKeys = more;
        }
    }

    /** What is known of a thread elsewhere. */
    static final class KeyCell extends Cell {
        final Own own;
        volatile long voidFrom = NEVER; // the number of the first interval that does not count
        final Scope outermost; // used again, because memory that is new costs more than the rest
        long taken; // the number of records that the table has; guarded by the lock
        volatile long free; // the same, for its thread
        long seenState; // of the interval that a reading has seen; guarded by the lock, as the next
        Key seenKey;
        long seenUser;
        long seenTotal;

        KeyCell(KeyedScopes of, Thread thread, Own own) {
            super(thread, own, 0);
            this.own = own;
            outermost = new Scope(of, this, 0);
        }

        @Override
        void write(long state, Reading used, Extras none) {
            long[] nanos = own.nanos;
            int i = (int) state - 1 & nanos.length - 1;
            boolean isKnown = used != null && used.totalNanos >= 0;
            nanos[i] = isKnown ? used.userNanos : -1;
            nanos[i + 1] = isKnown ? used.totalNanos : -1;
        }

        boolean hasSeen(long interval) {
            return seenState == 2 * interval + 1;
        }
    }

    @Override
    Cell newCell(Thread thread) {
        return new KeyCell(this, thread, new Own());
    }

    Scope open(String name) {
        KeyCell cell = null;
        try {
            Thread thread = Thread.currentThread();
            cell = (KeyCell) table.find(thread);
            if (cell == null) {
                if (JavaThread.isCarrier(thread)) {
                    return Scope.NONE;
                }
                cell = (KeyCell) add(thread);
            }
            if (cell.voidFrom != NEVER) {
                reset(thread, cell);
            }
            Own own = cell.own;
            Key key = name == null || name.isEmpty() ? null : key(own, name);
            int depth = own.depth;
            if (depth == own.ids.length) {
                if (depth == DEEPEST) {
                    partial("scopes were nested more than 1,000 deep");
                    depth = 0;
                } else {
                    own.grow();
                }
            }
            Scope scope = depth == 0 && cell.outermost.isClosed ? cell.outermost
                    : new Scope(this, cell, depth);
            if (!own.isFor(key)) {
                run(thread, cell, key);
            }
            scope.id = ++own.lastId; // from here on without a call
            scope.isClosed = false;
            own.ids[depth] = scope.id;
            if (own.scopeKeys[depth] != key) { // else no barrier of the collector's
                own.scopeKeys[depth] = key;
            }
            own.depth = depth + 1;
            return scope;
        } catch (Throwable e) { // without a call, for which there may be no stack
            whyPartial = INTERRUPTED;
            if (cell != null && cell.voidFrom > cell.own.state >> 1) {
                cell.voidFrom = cell.own.state >> 1;
            }
            return Scope.NONE;
        }
    }

    private Key key(Own own, String name) {
        Key key = own.key(own.state - 1 >> 1); // of the open or last interval
        if (key == null || key.name != name || key.isForgotten) {
            key = keys.find(name);
            key = key == null ? add(name) : key;
        }
        return key;
    }

    synchronized Key add(String name) {
        return keys.add(name);
    }

    /** The open interval ends, and one for this key begins; null: none. */
    private void run(Thread thread, KeyCell cell, Key key) {
        Own own = cell.own;
        long state = own.state;
        if ((state & 1) != 0) {
            finish(thread, cell, state++);
        }
        if (key != null) {
            if ((state >> 1) - cell.free == own.keys.length) {
                makeRoom(cell);
            }
            if (own.key(state >> 1) != key) {
                own.keys[(int) (state >> 1) & own.keys.length - 1] = key;
            }
            begin(thread, cell);
        }
    }

    private synchronized void makeRoom(KeyCell cell) {
        take(cell);
        Own own = cell.own;
        if (own.keys.length < MOST_RECORDS) {
            Key[] larger = new Key[4 * own.keys.length];
            own.nanos = new long[2 * larger.length];
            own.keys = larger;
        }
    }

    /** The thread has seen that its intervals are void: it forgets its scopes, and later ones count again. */
    private synchronized void reset(Thread thread, KeyCell cell) {
        if ((cell.own.state & 1) != 0) {
            finish(thread, cell, cell.own.state);
        }
        take(cell);
        cell.own.depth = 0; // from here on without a call
        cell.voidFrom = NEVER;
    }

    /** Of a scope that is closed: another one counts from now on. */
    void closed(Scope scope) {
        KeyCell cell = scope.cell;
        Thread thread = Thread.currentThread();
        if (cell.get() != thread) {
            closeElsewhere(cell);
            return;
        }
        if (cell.voidFrom != NEVER) {
            reset(thread, cell);
        }
        Own own = cell.own;
        own.remove(scope);
        Key outer = own.innermost();
        if (!own.isFor(outer)) {
            run(thread, cell, outer);
        }
    }

    /** What its thread has used until now counts. */
    private synchronized void closeElsewhere(KeyCell cell) {
        partial(ELSEWHERE);
        see(cell);
        cell.voidFrom = Math.min(cell.voidFrom, cell.taken);
    }

    /** The key for which the calling thread works; null: none. */
    String key() {
        try {
            KeyCell cell = (KeyCell) table.find(Thread.currentThread());
            Key key = cell == null || cell.voidFrom != NEVER ? null : cell.own.innermost();
            return key == null ? null : key.name;
        } catch (Throwable e) { // as in open()
            whyPartial = INTERRUPTED;
            return null;
        }
    }

    /** Takes in a thread's records; of an interval that does not count, what was seen of it. */
    private void take(KeyCell cell) {
        Own own = cell.own;
        long end = own.state >> 1;
        for (long i = cell.taken; i < end; i++) {
            int at = (int) (2 * i) & own.nanos.length - 1;
            if (i < cell.voidFrom && own.nanos[at + 1] >= 0) {
                keys.use(own.key(i), own.nanos[at], own.nanos[at + 1]);
            } else if (cell.hasSeen(i)) {
                keys.use(cell.seenKey, cell.seenUser, cell.seenTotal);
            }
            cell.taken = i + 1; // without a call after use()
        }
        cell.free = cell.taken;
    }

    /** The same of a thread that has ended, perhaps within an interval. */
    @Override
    synchronized void fold(Cell of, long[] base) {
        KeyCell cell = (KeyCell) of;
        take(cell);
        if (cell.hasSeen(cell.taken)) {
            keys.use(cell.seenKey, cell.seenUser, cell.seenTotal);
            cell.seenState = 0;
        }
    }

    /** Takes in its records, and reads what its open interval has used. */
    private void see(KeyCell cell) {
        take(cell);
        long open = 2 * cell.taken + 1;
        if (cell.own.state == open && cell.taken < cell.voidFrom) {
            Key current = cell.own.key(cell.taken);
            Thread thread = cell.get();
            Reading reading = cell.reading;
            if (thread != null && reading != null && Clocks.soFar(thread, reading, used)
                    && cell.own.state == open && cell.taken < cell.voidFrom) {
                cell.seenKey = current;
                cell.seenUser = used.userNanos;
                cell.seenTotal = used.totalNanos;
                cell.seenState = open;
            }
        }
        take(cell); // if it was closed meanwhile
    }

    /**
     * The process's clock comes first: what threads use later is not in it, so nothing that this misses
     * becomes unattributed.
     */
    synchronized Map<String, CpuSnapshot> read(long nowNanos) {
        if (!Clocks.processTimes(process)) {
            throw new IllegalStateException("the kernel refuses the process's CPU clock");
        }
        sweep();
        keys.beginReading();
        for (Cell each : table.cells) {
            KeyCell cell = (KeyCell) each;
            if (cell != null) {
                see(cell);
                if (cell.hasSeen(cell.taken)) {
                    keys.see(cell.seenKey, cell.seenUser, cell.seenTotal);
                }
            }
        }
        return keys.read(process.userNanos, process.totalNanos, nowNanos);
    }

    /** A reading for the agent (native/jvm/key_sources.c): the keys, and user and system of each. */
    @Override
    public Object[] get() {
        Map<String, CpuSnapshot> reading = read(System.nanoTime());
        String[] names = reading.keySet().toArray(new String[0]);
        long[] nanos = new long[2 * names.length];
        int i = 0;
        for (CpuSnapshot used : reading.values()) {
            nanos[i++] = used.userNanos();
            nanos[i++] = used.systemNanos();
        }
        return new Object[]{names, nanos};
    }
}
