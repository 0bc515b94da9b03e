// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuAttribution.Scope;
import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The open scopes of an attribution, and what each thread has used by key until it passes that on to the
 * table of all. Of a thread's scopes the innermost counts: opening and closing one ends the interval of
 * another, and the thread's cell has at most one open at a time.
 *
 * <p><b>Guarantees</b>, besides the registry's first and sixth:
 * <ol>
 * <li>An interval's time is at every moment in exactly one of: its clock, its key's slot, the table.
 * <li>What a reading has seen of an interval stays with its key, also if the interval is dropped later.
 * <li>A failure (no memory, a scope closed elsewhere) leaves time unattributed, never with a wrong key.
 * </ol>
 *
 * <p><b>How.</b> A slot has two halves, each with the state of the cell from which on it is valid. The owner
 * writes the older half, then the next state, which closes the interval and makes the half valid at once (1).
 * Slots pass on their sums under this object's lock, which readers hold.
 */
class KeyedScopes extends ScopeRegistry {
    /** Of scopes within one another; more are taken for some that were never closed. */
    static final int DEEPEST = 1000;

    private static final int MOST_SLOTS = 128; // half of them are used

    private final KeyTable keys; // guarded by this
    private final Sums sums = new Sums().prepared(); // as the next two
    private final Reading process = new Reading();

    KeyedScopes(int places) {
        super(false);
        keys = new KeyTable(places);
    }

    /** Sums by key; the words of a slot are: valid from this state on, user, system; the same again. */
    private static final class Slots {
        private static final int HALF = 3;
        private static final Slots NONE = new Slots(0);

        private final String[] keys;
        private final AtomicLongArray words;
        private int used;

        Slots(int size) {
            keys = new String[size];
            words = new AtomicLongArray(2 * HALF * size);
        }

        /** The slot of a key, or a free one. */
        int find(String key) {
            int hash = key.hashCode();
            for (int i = hash ^ hash >>> 16;; i++) {
                String other = keys[i & keys.length - 1];
                if (other == null || other.equals(key)) {
                    return i & keys.length - 1;
                }
            }
        }

        /** True if the last interval written to the slot was that of this state. */
        boolean has(int slot, long state) {
            int at = 2 * HALF * slot;
            return words.get(at) == state + 1 || words.get(at + HALF) == state + 1;
        }

        /** Where the half is that is valid in this state. */
        int valid(int slot, long state) {
            int at = 2 * HALF * slot;
            long one = words.get(at);
            long other = words.get(at + HALF);
            return one <= state && (one > other || other > state) ? at : at + HALF;
        }
    }

    /** A thread's innermost scope, and its slots, which are replaced under the registry's lock only. */
    static final class KeyCell extends Cell {
        private Scope innermost; // written by its thread before the state
        private Slots slots = new Slots(2);
        private long written; // the state of the last interval that was, only its thread knows
        private long seenState; // of the interval that a reading has seen, the reader's as the next three
        private String seenKey;
        private long seenUser;
        private long seenSystem;

        KeyCell(Thread thread) {
            super(thread, 0, SUMS);
        }

        /** The slot of the open interval. */
        int slot() {
            return (int) words.get(NESTED);
        }

        @Override
        void write(long state, Reading used, Extras none) {
            if (used != null && used.totalNanos >= 0) {
                int from = slots.valid(slot(), state);
                int to = 2 * Slots.HALF * (2 * slot()) + Slots.HALF - from;
                slots.words.lazySet(to + 1, slots.words.get(from + 1) + used.userNanos);
                slots.words.lazySet(to + 2, slots.words.get(from + 2) + used.systemNanos);
                slots.words.lazySet(to, state + 1);
                written = state;
            }
        }

        /** True if the open interval goes on with this scope, because it is for the same key. */
        private boolean isOpen(Scope scope, String key) {
            return scope != null && key != null && key.equals(scope.key) && counts(state());
        }

        private Scope innermost() {
            Scope scope = innermost;
            while (scope != null && scope.isClosed()) {
                scope = scope.outer;
            }
            return scope;
        }
    }

    @Override
    Cell newCell(Thread thread) {
        return new KeyCell(thread);
    }

    Scope open(String key) {
        try {
            Thread thread = Thread.currentThread();
            KeyCell cell = (KeyCell) table.find(thread);
            if (cell == null && JavaThread.isCarrier(thread)) {
                return Scope.NONE;
            }
            if (cell == null) {
                cell = (KeyCell) add(thread);
            }
            Scope outer = cell.innermost();
            String counted = known(key);
            boolean isOpen = cell.isOpen(outer, counted);
            if (!isOpen) {
                pause(thread, cell);
            }
            Scope scope = new Scope(this, cell, counted, outer);
            if (!isOpen) {
                count(thread, cell, scope);
            }
            cell.innermost = scope;
            return scope;
        } catch (OutOfMemoryError e) { // the enclosing scope is paused until it is closed
            partial("there was no memory for a scope");
            return Scope.NONE;
        } catch (Throwable e) {
            whyPartial = INTERRUPTED;
            throw e;
        }
    }

    /** The key as it counts; null: for none. */
    private static String known(String key) {
        return key == null || key.isEmpty() || key.equals(CpuAttribution.UNATTRIBUTED) ? null
                : key.length() > CpuAttribution.LONGEST_KEY ? CpuAttribution.OTHER : key;
    }

    /** The open interval, if there is one, becomes part of its key's slot. */
    private void pause(Thread thread, KeyCell cell) {
        long state = cell.state();
        if ((state & 1) != 0) {
            finish(thread, cell, state);
            if (cell.written == state && cell.dropped == state) {
                unsee(cell, state); // it was dropped too late
            }
        }
    }

    private synchronized void unsee(KeyCell cell, long state) {
        cell.seenState = cell.seenState == state ? 0 : cell.seenState;
    }

    private void count(Thread thread, KeyCell cell, Scope scope) {
        if (scope.key == null) {
            return;
        }
        int slot = cell.slots.find(scope.key);
        if (cell.slots.keys[slot] == null) {
            if (2 * cell.slots.used + 2 > cell.slots.keys.length) {
                passOn(cell);
                slot = cell.slots.find(scope.key);
            }
            cell.slots.used++;
            cell.slots.keys[slot] = scope.key;
        }
        cell.words.lazySet(Cell.NESTED, slot);
        begin(thread, cell);
    }

    private synchronized void passOn(KeyCell cell) {
        Slots larger = new Slots(Math.min(4 * cell.slots.keys.length, MOST_SLOTS));
        fold(cell, null);
        cell.slots = larger;
    }

    void close(Scope scope) {
        if (scope.isClosed()) {
            return;
        }
        KeyCell cell = scope.cell;
        long state = cell.state();
        try {
            boolean isInnermost = cell.innermost() == scope;
            scope.setClosed();
            Thread thread = Thread.currentThread();
            if (!isInnermost) {
                return; // another scope counts
            }
            if (cell.get() != thread) {
                if (cell.counts(state) && cell.state() == state) {
                    drop(cell, state, ELSEWHERE);
                }
            } else {
                cell.innermost = cell.innermost();
                if (!cell.isOpen(cell.innermost, scope.key)) {
                    pause(thread, cell);
                    if (cell.innermost != null) {
                        count(thread, cell, cell.innermost);
                    }
                }
            }
        } catch (OutOfMemoryError e) {
            partial("there was no memory for a scope");
        } catch (Throwable e) {
            whyPartial = INTERRUPTED;
            if (cell.state() == state) {
                cell.dropped = state;
            }
            throw e;
        }
    }

    /** The key for which the calling thread works; null: none. */
    String key() {
        KeyCell cell = (KeyCell) table.find(Thread.currentThread());
        Scope scope = cell == null ? null : cell.innermost();
        return scope == null ? null : scope.key;
    }

    /**
     * The slots' sums, and what was seen of an interval that is over without them, go to the table. If an
     * interval is still open, its thread has ended.
     */
    @Override
    synchronized void fold(Cell of, long[] base) {
        KeyCell cell = (KeyCell) of;
        keepSeen(cell, true);
        Slots slots = cell.slots;
        cell.slots = Slots.NONE;
        for (int i = 0; i < slots.keys.length; i++) {
            if (slots.keys[i] != null) {
                int at = slots.valid(i, cell.state());
                keys.add(slots.keys[i], slots.words.get(at + 1), slots.words.get(at + 2));
            }
        }
    }

    /** What a reading has seen of an interval that is over counts, if it was not written. */
    private void keepSeen(KeyCell cell, boolean hasEnded) {
        long seen = cell.seenState;
        boolean isOpen = cell.state() == seen;
        if (seen == 0 || isOpen && !hasEnded) {
            return;
        }
        if (isOpen || cell.dropped == seen && !cell.slots.has(cell.slots.find(cell.seenKey), seen)) {
            keys.add(cell.seenKey, cell.seenUser, cell.seenSystem);
        }
        cell.seenState = 0;
    }

    /**
     * The process's clock comes first: so what is not attributed is at most what it can be now, and does not
     * have to decrease later.
     */
    synchronized Map<String, CpuSnapshot> read(long nowNanos) {
        if (!Clocks.CLOCKS.processTimes(process)) {
            throw new IllegalStateException("the kernel refuses the process's CPU clock");
        }
        sweep();
        keys.beginReading();
        for (Cell cell : table.cells) {
            if (cell != null) {
                read((KeyCell) cell);
            }
        }
        return keys.read(process.userNanos, process.totalNanos, nowNanos);
    }

    private void read(KeyCell cell) {
        keepSeen(cell, false);
        Slots slots = cell.slots;
        long open = cell.state();
        int slot = cell.slot();
        if (cell.counts(open) && readSoFar(cell, sums) && cell.state() == open) {
            cell.seenState = open;
            cell.seenKey = slots.keys[slot];
            cell.seenUser = sums.used.userNanos;
            cell.seenSystem = sums.used.systemNanos;
        }
        boolean isOpen = cell.seenState == open; // if it was dropped meanwhile, as far as it was seen
        for (int i = 0; i < slots.keys.length; i++) {
            for (;;) {
                long state = cell.state();
                String key = slots.keys[i];
                if (key == null) {
                    break;
                }
                int at = slots.valid(i, state);
                boolean isWithin = isOpen && i == slot && state == open;
                long user = slots.words.get(at + 1) + (isWithin ? cell.seenUser : 0);
                long system = slots.words.get(at + 2) + (isWithin ? cell.seenSystem : 0);
                if (cell.state() == state) {
                    keys.see(key, user, system);
                    break;
                }
            }
        }
    }
}
