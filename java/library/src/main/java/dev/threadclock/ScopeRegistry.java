// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThread;
import dev.threadclock.internal.Reading;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The open scopes of a piece of work, and the sums of its closed ones. Scopes within a scope of the same
 * thread only change its depth.
 *
 * <p><b>Assumptions</b>
 * <ol>
 * <li>A thread's own interval and what another thread reads of it differ by microseconds, or by stolen time.
 * <li>The beginning of an interval stays where it is until the same reading begins another one (Clocks).
 * <li>What a thread did is visible to whoever has seen that it is no longer alive (JLS 17.4.4).
 * </ol>
 *
 * <p><b>Guarantees</b>
 * <ol>
 * <li>A scope's time counts at every moment: up to one moment within close() as an open scope's, by its
 * thread's clock; from then on as a closed one's. Never neither, never both.
 * <li>Sums never decrease. Once end() has returned, they never change, and contain each scope that was opened
 * before it: closed, being closed, or still open.
 * <li>Time is missing only if {@link #whyPartial} is set, and it is set first. So whoever reads the sum and
 * then whyPartial sees the reason.
 * <li>A closed scope is never taken for one within which its thread ended.
 * <li>A thread is interrupted only within its scope, and leaves the scope without that interrupt.
 * <li>From a thread's second scope on, open() and close() write only to what belongs to this thread, and
 * take no lock. Readers wait for no thread within a scope, nor for one that is opening or closing it.
 * </ol>
 *
 * <p><b>How.</b> Each thread has a cell, which only it writes. Its state counts: odd while a scope is open.
 * close() writes the new sums to that half of the cell which the state does not point to; then one store of
 * the next state closes the scope and adds its time (1). A reader that finds the same state before and after
 * has read what belongs together. If an open scope's state has changed while its clock was read, that scope
 * is in the sums by now. So end() takes nothing away from a thread: it adds everything up once, and keeps the
 * result (2). The cells of ended threads become part of a base, in one store with the table without them;
 * their state is read after the thread was seen dead (3, 4).
 */
class ScopeRegistry {
    static final int USER = 0;
    static final int SYSTEM = 1;
    static final int INTERVALS = 2;
    static final int EXTRAS = 3; // the first
    private static final int VALUES = EXTRAS + Extras.COUNT;

    static final String ELSEWHERE = "a scope was closed on another thread than it was opened on";
    static final String INTERRUPTED = "an error interrupted a thread that opened or closed a scope";

    /**
     * Readings to use again, because a new one is expensive. Any thread takes any: one of its own in a thread
     * local would keep this class's loader from being unloaded, and would be of no use to virtual threads.
     */
    private static final AtomicReferenceArray<Reading> IDLE = new AtomicReferenceArray<>(256);
    private static final int TRIES = 4;

    /** In this class, initialized early: a class whose initialization runs out of memory stays unusable. */
    private static final AtomicReferenceFieldUpdater<Cell, Reading> READING = AtomicReferenceFieldUpdater
            .newUpdater(Cell.class, Reading.class, "reading");
    private static final AtomicLongFieldUpdater<Words> STATE = AtomicLongFieldUpdater.newUpdater(
            Words.class, "state");
    private static final AtomicLongFieldUpdater<Closed> USERS = AtomicLongFieldUpdater.newUpdater(
            Closed.class, "user");
    private static final AtomicLongFieldUpdater<Closed> SYSTEMS = AtomicLongFieldUpdater.newUpdater(
            Closed.class, "system");
    private static final AtomicLongFieldUpdater<Closed> COUNTS = AtomicLongFieldUpdater.newUpdater(
            Closed.class, "intervals");

    private static final Table EMPTY = emptyTable(null); // full: the first add replaces it

    private final Extras extras; // null: none
    private final boolean isWatched;
    volatile Table table;
    private volatile boolean hasEnded;
    volatile String whyPartial = "";

    /** A watched registry can interrupt; its open and close are also ordered before what comes after them. */
    ScopeRegistry(boolean isWatched, Extra... extras) {
        this.isWatched = isWatched;
        this.extras = Extras.of(extras);
        table = this.extras == null ? EMPTY : emptyTable(this.extras);
    }

    private static Table emptyTable(Extras extras) {
        long[] base = new long[VALUES];
        for (int i = 0; i < Extras.COUNT; i++) {
            base[EXTRAS + i] = Extras.zero(extras, i);
        }
        return new Table(base, new Cell[1], false);
    }

    /**
     * Sums of a thread's closed scopes. Fields, because elements of an array made everything but the two
     * clock reads of a scope cost two thirds more.
     */
    private static final class Closed {
        volatile long user;
        volatile long system;
        volatile long intervals;
        private final AtomicLongArray extras; // null: none

        Closed(boolean withExtras) {
            extras = withExtras ? new AtomicLongArray(Extras.COUNT) : null;
        }

        long get(int value) {
            return value == USER ? user
                    : value == SYSTEM ? system : value == INTERVALS ? intervals : extras.get(value - EXTRAS);
        }
    }

    /** What a thread writes at each scope: not in its cell, which other threads read in search of theirs. */
    static class Words {
        volatile long state;
        private int nested; // scopes within the outermost; its thread's alone
    }

    /** A thread's sums and its outermost scope. Readers elsewhere see the words in the order of writing. */
    static class Cell extends WeakReference<Thread> {
        private final Words words;
        private final int hash;
        private final int values;
        private final Closed even;
        private final Closed odd;
        private final AtomicLongArray begunExtras; // what they were at the beginning; null: none
        volatile Reading reading;
        private volatile long dropped; // the state of a scope that does not count
        private volatile long interrupting; // the state of a scope that is or was interrupted
        private long interrupted; // guarded by this

        /** The number of values is 0 if they are kept otherwise. */
        Cell(Thread thread, Words words, int values) {
            super(thread);
            boolean withExtras = values > EXTRAS;
            hash = System.identityHashCode(thread);
            this.words = words;
            this.values = values;
            even = values == 0 ? null : new Closed(withExtras);
            odd = values == 0 ? null : new Closed(withExtras);
            begunExtras = withExtras ? new AtomicLongArray(Extras.COUNT) : null;
        }

        boolean counts(long state) {
            return (state & 1) != 0 && dropped != state;
        }

        /** The sums to which this state points. */
        Closed closed(long state) {
            return (state & 2) == 0 ? even : odd;
        }

        /** Writes the sums of the next state, to which the scope with this one adds; null: nothing. */
        void write(long state, Reading used, Extras extras) {
            Closed from = closed(state);
            Closed to = closed(state + 1);
            boolean isKnown = used != null && used.totalNanos >= 0;
            USERS.lazySet(to, from.user + (isKnown ? used.userNanos : 0));
            SYSTEMS.lazySet(to, from.system + (isKnown ? used.systemNanos : 0));
            COUNTS.lazySet(to, from.intervals + (isKnown ? 1 : 0));
            for (int i = 0; i < values - EXTRAS; i++) {
                long sum = from.extras.get(i);
                to.extras.lazySet(i, used == null ? sum
                        : Extras.sum(sum, begunExtras.get(i), extras.now(i, Thread.currentThread())));
            }
        }

        /** Values from this to that, of closed scopes, added to a sum. */
        long add(long sum, int from, int to) {
            for (;;) {
                long now = words.state;
                long with = sum;
                for (int i = from; i <= Math.min(to, values - 1); i++) {
                    with = Extras.sum(with, closed(now).get(i));
                }
                if (words.state == now) {
                    return with;
                }
            }
        }
    }

    /** The cells of threads by their hash code, with gaps; a registry's changes are guarded by itself. */
    static final class Table {
        private final long[] base; // the sums of threads that have ended; of all, once they are final
        final Cell[] cells;
        private final boolean isFinal;
        private int used;

        Table(long[] base, Cell[] cells, boolean isFinal) {
            this.base = base;
            this.cells = cells;
            this.isFinal = isFinal;
        }

        Cell find(Thread thread) {
            Cell[] all = cells;
            for (int i = System.identityHashCode(thread);; i++) {
                Cell cell = all[i & all.length - 1];
                if (cell == null || cell.get() == thread) {
                    return cell;
                }
            }
        }

        boolean isFull() {
            return 2 * used + 2 > cells.length;
        }

        void add(Cell cell) {
            used++; // first, for an error in between
            int i = cell.hash;
            while (cells[i & cells.length - 1] != null) {
                i++;
            }
            cells[i & cells.length - 1] = cell;
        }

        long sum(int from, int to) {
            long sum = 0;
            for (int i = from; i <= to; i++) {
                sum = Extras.sum(sum, base[i]);
            }
            for (int i = 0; !isFinal && i < cells.length; i++) {
                sum = cells[i] == null ? sum : cells[i].add(sum, from, to);
            }
            return sum;
        }
    }

    /** Opens a scope of the calling thread. After the end this does nothing. */
    void open() {
        try {
            Thread thread = Thread.currentThread();
            Cell cell = table.find(thread);
            if (cell != null && cell.counts(cell.words.state)) {
                cell.words.nested++;
            } else if (!hasEnded && (cell != null || !JavaThread.isCarrier(thread))) {
                begin(thread, cell != null ? cell : add(thread));
            }
        } catch (Throwable e) {
            whyPartial = INTERRUPTED; // without a call, for which there may be no stack
            throw e;
        }
    }

    final void begin(Thread thread, Cell cell) {
        long state = cell.words.state;
        if ((state & 1) != 0) { // it does not count
            next(cell, state++, null);
            cell.words.nested = 0;
        }
        if (cell.reading == null) {
            READING.lazySet(cell, idleOrNew(thread));
        }
        for (int i = cell.values - 1; i >= EXTRAS; i--) {
            cell.begunExtras.lazySet(i - EXTRAS, extras.now(i - EXTRAS, thread));
        }
        if (!Clocks.begin(thread, cell.reading)) {
            partial(whyUnknown(thread));
        }
        set(cell, state + 1);
    }

    private void set(Cell cell, long state) {
        if (isWatched) {
            STATE.set(cell.words, state);
        } else {
            STATE.lazySet(cell.words, state);
        }
    }

    /** Adds what was measured elsewhere to the base. */
    synchronized void add(long userNanos, long systemNanos) {
        if (!hasEnded) {
            Table with = new Table(table.base.clone(), table.cells, false);
            with.base[USER] += userNanos;
            with.base[SYSTEM] += systemNanos;
            with.used = table.used;
            table = with;
        }
    }

    final synchronized Cell add(Thread thread) {
        if (table.isFull()) {
            sweep();
        }
        Table now = table;
        Cell cell = newCell(thread);
        now.add(cell);
        table = now; // publishes it
        return cell;
    }

    Cell newCell(Thread thread) {
        return new Cell(thread, new Words(), extras == null ? EXTRAS : VALUES);
    }

    /** Makes room: the sums of threads that have ended become part of the base. */
    synchronized void sweep() {
        table = withoutEnded(table);
    }

    private Table withoutEnded(Table old) {
        if (old.used == 0) {
            return new Table(old.base, new Cell[4], old.isFinal);
        }
        long[] base = old.base.clone();
        Cell[] living = new Cell[old.used];
        int size = 0;
        for (Cell cell : old.cells) {
            Thread thread = cell == null ? null : cell.get();
            if (thread != null && thread.isAlive()) {
                living[size++] = cell;
            } else if (cell != null) {
                if (cell.counts(cell.words.state)) {
                    partial("a thread ended within a scope");
                }
                fold(cell, base);
            }
        }
        Table table = new Table(base, new Cell[8 * Integer.highestOneBit(size + 1)], old.isFinal);
        for (int i = 0; i < size; i++) {
            table.add(living[i]);
        }
        return table;
    }

    /** The sums of a thread that has ended become part of the base. */
    void fold(Cell cell, long[] base) {
        for (int i = 0; i < cell.values; i++) {
            base[i] = cell.add(base[i], i, i);
        }
    }

    private static Reading idleOrNew(Thread thread) {
        for (int i = 0, hash = System.identityHashCode(thread); i < TRIES; i++) {
            Reading reading = IDLE.getAndSet(hash + i & IDLE.length() - 1, null);
            if (reading != null) {
                return reading;
            }
        }
        return new Reading();
    }

    private static void keepIdle(Thread thread, Reading reading) {
        int hash = System.identityHashCode(thread);
        for (int i = 0; i < TRIES
                && !IDLE.compareAndSet(hash + i & IDLE.length() - 1, null, reading); i++) {
        }
    }

    /**
     * The calling thread closes this number of scopes, or all that it has. If it has none, it closes another
     * thread's: because it is unknown which, all open ones are dropped.
     */
    void close(int scopes) {
        Cell cell = null;
        long state = 0;
        try {
            Thread thread = Thread.currentThread();
            cell = table.find(thread);
            state = cell == null ? 0 : cell.words.state;
            if ((state & 1) == 0) {
                if (scopes == 1 && !hasEnded && !JavaThread.isCarrier(thread)) {
                    dropAll();
                }
            } else if (cell.words.nested >= scopes) {
                cell.words.nested -= scopes;
            } else {
                cell.words.nested = 0;
                finish(thread, cell, state);
            }
        } catch (Throwable e) {
            whyPartial = INTERRUPTED;
            if (cell != null) {
                cell.dropped = state;
            }
            throw e;
        }
    }

    final void finish(Thread thread, Cell cell, long state) {
        Reading used = cell.reading;
        if (!Clocks.end(thread, used) && cell.counts(state)) {
            partial(whyUnknown(thread));
        }
        next(cell, state, cell.counts(state) ? used : null);
        if (state == 1) { // of work that this thread may never see again
            READING.lazySet(cell, null); // after the state, or a reader would miss it in an open scope
            keepIdle(thread, used);
        }
        if (cell.interrupting == state) {
            synchronized (cell) {
                if (cell.interrupted == state) {
                    Thread.interrupted(); // what runs next on this thread is not meant
                }
            }
        }
    }

    /** Closes the scope with this state, which has used that; null: it does not count. */
    private void next(Cell cell, long state, Reading used) {
        cell.write(state, used, extras);
        set(cell, state + 1);
    }

    private static String whyUnknown(Thread thread) {
        return JavaThread.isCarried(thread) ? VirtualThreads.whyUnknown()
                : "the kernel refused a clock, or the process was restored from a checkpoint";
    }

    private void dropAll() {
        for (Cell cell : table.cells) {
            long state = cell == null ? 0 : cell.words.state;
            if (cell != null && cell.counts(state)) {
                drop(cell, state, ELSEWHERE);
            }
        }
    }

    private void drop(Cell cell, long state, String why) {
        partial(why);
        cell.dropped = state;
    }

    /** Only the first reason counts, and none after the end. */
    final void partial(String why) {
        if (whyPartial.isEmpty() && !table.isFinal) {
            whyPartial = why;
        }
    }

    String whyPartial() {
        return whyPartial;
    }

    /** True while a thread is within a scope. */
    boolean isOpen() {
        for (Cell cell : table.cells) {
            if (cell != null && cell.counts(cell.words.state)) {
                return true;
            }
        }
        return false;
    }

    /** The sum of the values from this to that, over closed scopes. -1: an extra is unknown. */
    long sum(int from, int to) {
        long sum = table.sum(from, to);
        return hasEnded ? atTheEnd().sum(from, to) : sum;
    }

    /** All values, of closed and open scopes; to be used again, because then reading allocates nothing. */
    static final class Sums {
        final long[] all = new long[VALUES];
        private final long[] ofOne = new long[VALUES];
        private Reading used;

        Sums prepared() {
            used = new Reading();
            return this;
        }

        long totalNanos() {
            return all[USER] + all[SYSTEM];
        }
    }

    /** Reads the sums and the clocks of threads within scopes. */
    void read(Sums sums) {
        Table now = table;
        System.arraycopy(now.base, 0, sums.all, 0, VALUES);
        for (int i = 0; !now.isFinal && i < now.cells.length; i++) {
            if (now.cells[i] != null) {
                add(now.cells[i], sums);
            }
        }
    }

    private void add(Cell cell, Sums sums) {
        long open = cell.words.state;
        boolean counts = cell.counts(open);
        if (counts && !readSoFar(cell, sums)) {
            if (cell.words.state == open) {
                Thread thread = cell.get();
                drop(cell, open,
                        "a scope was still open on thread " + (thread == null ? "" : thread.getName())
                                + ", which has ended or cannot be read");
            }
            counts = false;
        }
        for (;;) {
            long state = cell.words.state;
            boolean isOpen = counts && state == open;
            for (int i = 0; i < cell.values; i++) {
                long closed = cell.closed(state).get(i);
                sums.ofOne[i] = !isOpen ? closed
                        : i == USER ? closed + sums.used.userNanos
                                : i == SYSTEM ? closed + sums.used.systemNanos
                                        : i == INTERVALS ? closed + 1
                                                : Extras.sum(closed, cell.begunExtras.get(i - EXTRAS),
                                                        sums.ofOne[i]);
            }
            if (cell.words.state == state) {
                break;
            }
        }
        for (int i = 0; i < cell.values; i++) {
            sums.all[i] = Extras.sum(sums.all[i], sums.ofOne[i]);
        }
    }

    /** Reads what the open scope has used, and its extras now; right if it stays open meanwhile. */
    private boolean readSoFar(Cell cell, Sums sums) {
        Thread thread = cell.get();
        Reading reading = cell.reading;
        if (thread == null || reading == null) {
            return false;
        }
        if (sums.used == null) {
            sums.prepared();
        }
        for (int i = EXTRAS; i < cell.values; i++) {
            sums.ofOne[i] = extras.now(i - EXTRAS, thread);
        }
        return Clocks.soFar(thread, reading, sums.used);
    }

    /** Ends the work; true: this was the first call. */
    boolean end() {
        close(Integer.MAX_VALUE);
        synchronized (this) {
            if (hasEnded) {
                return false;
            }
            hasEnded = true;
        }
        try {
            atTheEnd();
        } catch (Throwable e) { // the next reader does it
            whyPartial = INTERRUPTED;
            throw e;
        }
        return true;
    }

    private Table atTheEnd() {
        Table now = table;
        return now.isFinal ? now : readAtTheEnd();
    }

    private synchronized Table readAtTheEnd() {
        if (!table.isFinal) {
            Sums sums = new Sums();
            read(sums);
            Table last = new Table(sums.all, table.cells, true);
            last.used = table.used;
            table = last;
        }
        return table;
    }

    /**
     * Interrupts each thread that is within a scope and was not interrupted in it before. False: one could
     * not be interrupted, for want of memory.
     */
    boolean interruptThreads() {
        boolean isDone = true;
        for (Cell cell : table.cells) {
            long state = cell == null ? 0 : cell.words.state;
            Thread thread = cell == null ? null : cell.get();
            if (thread != null && cell.counts(state)) {
                cell.interrupting = state;
                isDone &= interrupt(thread, cell, state);
            }
        }
        return isDone;
    }

    /** Its thread waits for this if it sees the mark when it leaves the scope; otherwise this sees that. */
    private static boolean interrupt(Thread thread, Cell cell, long state) {
        synchronized (cell) {
            if (cell.words.state != state || cell.interrupted == state) {
                return true;
            }
            try {
                cell.interrupted = state;
                thread.interrupt();
            } catch (OutOfMemoryError e) {
                cell.interrupted = 0;
                return false;
            } catch (Throwable e) { // a subclass's own, or a channel's
                return true;
            }
            return true;
        }
    }
}
