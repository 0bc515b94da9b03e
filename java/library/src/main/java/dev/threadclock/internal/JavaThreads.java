// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Finds out which rows of a table of all threads are Java threads, and which ones. A Java thread belongs to
 * the row with its TID if it had that TID both before and after the pass: TIDs are reused, but not while
 * their thread lives. Matches are remembered by the row's serial, which is never reused, so Java threads are
 * listed again only after one has started.
 */
public final class JavaThreads {
    /** Lists all Java threads when one has started since the last list, and once more after that. */
    public static final class Started {
        private long started = Long.MIN_VALUE;
        private int repeats;

        /** All Java threads, padded with nulls; null: none has started. */
        public Thread[] live() {
            long startedNow = Management.INSTANCE == null ? -1 : Management.INSTANCE.startedThreads();
            if (startedNow < 0 || startedNow != started) {
                repeats = REPEATS;
            }
            started = startedNow;
            return repeats > 0 ? liveThreads() : null;
        }

        /** The last list was used: a failed pass does not count. */
        public void used() {
            if (repeats > 0) {
                repeats--;
            }
        }
    }

    /** A row of the table, and its Java thread, held weakly. */
    static final class Known extends CpuIntervals.Row {
        long id; // 0: no Java thread
        private String lastName;
        private WeakReference<Thread> thread;

        Known(long serial, long id, String name) {
            super(serial);
            this.id = id;
            lastName = name;
        }

        void set(Thread found) {
            id = JavaThread.id(found);
            lastName = found.getName();
            thread = new WeakReference<>(found);
        }

        Thread thread() {
            return thread == null ? null : thread.get();
        }

        String name() {
            Thread present = thread();
            return present == null ? lastName : present.getName();
        }
    }

    /**
     * The number of passes that list the threads after one has started: more than one, because an attaching
     * thread is counted before it is listed.
     */
    private static final int REPEATS = 2;

    private Known[] known = new Known[0]; // row by row

    private final Started started = new Started();
    private Thread[] fresh = new Thread[0]; // Java threads that had no row before the pass
    private int[] freshTids = new int[0];
    private int freshCount;

    Known at(int row) {
        return known[row];
    }

    void begin(int capacity) {
        known = new Known[capacity];
    }

    void set(int row, Known thread) {
        known[row] = thread;
    }

    /** Called before the pass: records the TIDs of new threads. */
    void beforePass() {
        forgetFresh(); // left by a failed pass
        Thread[] live = started.live();
        if (live != null) {
            listFresh(live);
        }
    }

    private void forgetFresh() {
        Arrays.fill(fresh, 0, freshCount, null);
        freshCount = 0;
    }

    private void listFresh(Thread[] live) {
        Map<Thread, Known> old = new IdentityHashMap<>();
        for (Known row : known) {
            if (row.thread() != null) {
                old.put(row.thread(), row);
            }
        }
        for (Thread thread : live) {
            int tid = thread == null || old.containsKey(thread) ? -1 : Clocks.tid(thread);
            if (tid > 0) {
                if (freshCount == fresh.length) {
                    fresh = Arrays.copyOf(fresh, 2 * freshCount + 16);
                    freshTids = Arrays.copyOf(freshTids, fresh.length);
                }
                fresh[freshCount] = thread;
                freshTids[freshCount++] = tid;
            }
        }
    }

    /**
     * All platform threads, padded with nulls. With a security manager, only those that it shows: by default
     * the program's, and not the JVM's own.
     */
    static Thread[] liveThreads() {
        try {
            ThreadGroup top = topGroup();
            for (int length = top.activeCount() + 16;; length *= 2) {
                Thread[] threads = new Thread[length];
                if (top.enumerate(threads) < length) {
                    return threads;
                }
            }
        } catch (SecurityException e) {
            return new Thread[0];
        }
    }

    private static ThreadGroup topGroup() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        try {
            for (ThreadGroup parent = top.getParent(); parent != null; parent = top.getParent()) {
                top = parent;
            }
        } catch (SecurityException e) {
            // This is as far up as is permitted.
        }
        return top;
    }

    /** Called after the pass: fills in what is known of its rows. */
    void afterPass(ThreadTable table) {
        if (!sameRows(table)) {
            moveToRowsOf(table);
        }
        if (freshCount > 0) {
            Map<Integer, Integer> rows = new HashMap<>();
            for (int i = 0; i < known.length; i++) {
                rows.put(table.tid(i), i);
            }
            for (int i = 0; i < freshCount; i++) {
                Integer row = rows.get(freshTids[i]);
                if (row != null && Clocks.tid(fresh[i]) == freshTids[i]) {
                    known[row].set(fresh[i]);
                }
            }
            forgetFresh();
        }
        started.used();
    }

    private boolean sameRows(ThreadTable table) {
        if (table.size() != known.length) {
            return false;
        }
        for (int i = 0; i < known.length; i++) {
            if (table.serial(i) != known[i].serial) {
                return false;
            }
        }
        return true;
    }

    private void moveToRowsOf(ThreadTable table) {
        Map<Long, Known> bySerial = new HashMap<>();
        for (Known row : known) {
            bySerial.put(row.serial, row);
        }
        Known[] rows = new Known[table.size()];
        for (int i = 0; i < rows.length; i++) {
            Known old = bySerial.get(table.serial(i));
            rows[i] = old != null ? old : new Known(table.serial(i), 0, "");
        }
        known = rows; // last, so that nothing changes if memory runs out
    }
}
