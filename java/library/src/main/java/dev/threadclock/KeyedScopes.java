// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuAttribution.Scope;
import dev.threadclock.KeyTable.Key;
import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;
import java.util.Map;

/**
 * The open scopes of an attribution, and the last intervals of each thread. Of a thread's scopes the
 * innermost counts: opening and closing one ends the interval of another, and a thread has at most one open.
 *
 * <p><b>Guarantees</b>
 * <ol>
 * <li>An interval's time is at every moment in exactly one of: its clock, its record, the table of keys.
 * <li>What a reading has seen of an interval stays with its key, also if the interval is dropped later.
 * <li>A failure (no memory, no stack, a scope closed elsewhere) leaves time unattributed and does not reach
 * the caller. From the moment that a thread's cell is known, no failure counts time for a wrong key.
 * <li>open() and close() write to what other threads write to only for a thread's first scope, for a key that
 * is not known, and when a thread's records are full: once in 128 intervals. Then they take the lock, which a
 * reading holds.
 * </ol>
 *
 * <p><b>How.</b> A thread's state counts its intervals, as in the registry. close() writes a record, then the
 * next state, which makes the record valid and ends the interval at once (1). Under the lock a reading takes
 * in the records up to that state, each once, and reads the clock of the open interval; if the state is the
 * same after that, it belongs to it, and otherwise there is a record by now. Whether a record counts or what
 * was seen of its interval is decided there, too, so that closing elsewhere races with nothing (2). Before
 * the last store of a step everything is as it was; if an error prevents that, the open interval is dropped
 * by a plain store, because there may be no stack for a call (3).
 */
class KeyedScopes extends ScopeRegistry {
    /** Of scopes within one another; more are taken for some that were never closed. */
    static final int DEEPEST = 1000;

    private static final int FEWEST_RECORDS = 8;
    private static final int MOST_RECORDS = 128;

    private final KeyTable keys; // guarded by this
    private final Reading process = new Reading(); // as the next
    private final Reading used = new Reading();

    KeyedScopes(int places) {
        super(false);
        keys = new KeyTable(places);
    }

    /** A thread's innermost scope, and its records, which are replaced under the lock only. */
    static final class KeyCell extends Cell {
        private Scope innermost;
        private Key current; // of the interval that is open or was the last one; written before the state
        long own; // its thread's copy of the state, to be read without a call
        private Key[] keys = new Key[FEWEST_RECORDS];
        private long[] nanos = new long[2 * FEWEST_RECORDS]; // user and total; -1: not known
        private long taken; // the number of records that the table has; guarded by the lock
        private volatile long free; // the same, for its thread
        private long seenState; // of the interval that a reading has seen; as the next three
        private Key seenKey;
        private long seenUser;
        private long seenTotal;

        KeyCell(Thread thread) {
            super(thread, 0);
        }

        @Override
        void write(long state, Reading used, Extras none) {
            int i = (int) (state >> 1) & keys.length - 1;
            boolean isKnown = used != null && used.totalNanos >= 0;
            if (keys[i] != current) { // else no barrier of the collector's
                keys[i] = current;
            }
            nanos[2 * i] = isKnown ? used.userNanos : -1;
            nanos[2 * i + 1] = isKnown ? used.totalNanos : -1;
        }

        /** True if what is open, or nothing, is right while this scope is the innermost. */
        private boolean isFor(Key key) {
            long state = state();
            return key == null ? (state & 1) == 0 : counts(state) && current == key;
        }

        private Scope innermost() {
            Scope scope = innermost;
            while (scope != null && scope.isClosed) {
                scope = scope.outer;
            }
            return scope;
        }

        private boolean hasSeen(long interval) {
            return seenState == 2 * interval + 1;
        }
    }

    @Override
    Cell newCell(Thread thread) {
        return new KeyCell(thread);
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
            Key key = cell.current;
            if (name == null || name.isEmpty()) {
                key = null;
            } else if (key == null || key.name != name || key.isForgotten()) {
                key = keys.find(name);
                key = key == null ? add(name) : key;
            }
            Scope outer = cell.innermost();
            if (outer != null && outer.depth == DEEPEST) {
                partial("scopes were nested more than 1,000 deep");
                outer = null;
            }
            Scope scope = new Scope(this, cell, key, outer);
            if (!cell.isFor(key)) {
                run(thread, cell, scope);
            }
            cell.innermost = scope;
            return scope;
        } catch (Throwable e) { // without a call, for which there may be no stack
            whyPartial = INTERRUPTED;
            if (cell != null) {
                cell.dropped = cell.own;
            }
            return Scope.NONE;
        }
    }

    synchronized Key add(String name) {
        return keys.add(name);
    }

    /** The open interval ends, and that of this scope begins; null: none. */
    private void run(Thread thread, KeyCell cell, Scope scope) {
        long state = cell.state();
        if ((state & 1) != 0) {
            finish(thread, cell, state++);
            cell.own = state;
        }
        if (scope != null && scope.key != null) {
            if ((state >> 1) - cell.free == cell.keys.length) {
                makeRoom(cell);
            }
            if (cell.current != scope.key) {
                cell.current = scope.key;
            }
            scope.runs = state + 1;
            begin(thread, cell);
            cell.own = state + 1;
        }
    }

    private synchronized void makeRoom(KeyCell cell) {
        take(cell);
        if (cell.keys.length < MOST_RECORDS) {
            Key[] larger = new Key[4 * cell.keys.length];
            long[] nanos = new long[2 * larger.length];
            cell.keys = larger;
            cell.nanos = nanos;
        }
    }

    /** Of a scope that is closed: another one counts from now on. */
    void closed(Scope scope) {
        KeyCell cell = scope.cell;
        Thread thread = Thread.currentThread();
        if (cell.get() != thread) {
            closeElsewhere(scope, cell);
            return;
        }
        Scope outer = cell.innermost();
        cell.innermost = outer;
        if (!cell.isFor(outer == null ? null : outer.key)) {
            run(thread, cell, outer);
        }
    }

    /** What its interval has used until now counts. */
    private synchronized void closeElsewhere(Scope scope, KeyCell cell) {
        see(cell);
        long open = 2 * cell.taken + 1;
        if (cell.state() == open && scope.runs == open) {
            drop(cell, open, ELSEWHERE);
        }
    }

    /** The key for which the calling thread works; null: none. */
    String key() {
        try {
            KeyCell cell = (KeyCell) table.find(Thread.currentThread());
            Scope scope = cell == null ? null : cell.innermost();
            return scope == null || scope.key == null ? null : scope.key.name;
        } catch (Throwable e) { // as in open()
            whyPartial = INTERRUPTED;
            return null;
        }
    }

    /** Takes in a thread's records; of an interval that does not count, what was seen of it. */
    private void take(KeyCell cell) {
        long end = cell.state() >> 1;
        for (long i = cell.taken; i < end; i++) {
            int at = (int) i & cell.keys.length - 1;
            boolean counts = cell.dropped != 2 * i + 1 && cell.nanos[2 * at + 1] >= 0;
            if (counts) {
                keys.use(cell.keys[at], cell.nanos[2 * at], cell.nanos[2 * at + 1]);
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
        if (cell.state() == open && cell.counts(open)) {
            Key current = cell.current;
            Thread thread = cell.get();
            Reading reading = cell.reading;
            if (thread != null && reading != null && Clocks.soFar(thread, reading, used)
                    && cell.state() == open) {
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
}
