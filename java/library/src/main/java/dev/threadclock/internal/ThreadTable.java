// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Internal: all threads of the process as one pass found them, behind {@code dev.threadclock.ThreadTimes}:
 * one row of memory each, as native code writes it. Belongs to one thread at a time.
 */
public class ThreadTable {
    /** Size of struct threadclock_thread_row. */
    static final int ROW = 56;
    private static final int TID = 0;
    public static final int SERIAL = 8;
    public static final int USER = 16;
    public static final int SYSTEM = 24;
    public static final int TOTAL = 32;
    private static final int NAME = 40;
    private static final int NAME_LENGTH = 16;

    /** A thread, and its Java thread, held weakly. */
    private static final class Known {
        private final long serial;
        private long id; // 0: no Java thread
        private String lastName;
        private WeakReference<Thread> thread = new WeakReference<>(null);

        Known(long serial, long id, String name) {
            this.serial = serial;
            this.id = id;
            lastName = name;
        }

        void set(Thread found) {
            id = JavaThread.id(found);
            lastName = found.getName();
            thread = new WeakReference<>(found);
        }

        String name() {
            Thread present = thread.get();
            return present == null ? lastName : present.getName();
        }
    }

    final JavaThreads javaThreads = new JavaThreads();

    private ByteBuffer rows = NativeMemory.allocate(64 * ROW);
    private int size;
    private Known[] known = new Known[0]; // row by row

    public void read() {
        Clocks.allThreads(this);
    }

    public int size() {
        return size;
    }

    public int tid(int index) {
        return rows.getInt(at(index) + TID);
    }

    public long get(int index, int field) {
        return rows.getLong(at(index) + field);
    }

    public long javaId(int index) {
        return known[checked(index)].id;
    }

    public String name(int index) {
        Known row = known[checked(index)];
        return row.id == 0 ? kernelName(index) : row.name();
    }

    private String kernelName(int index) {
        byte[] name = new byte[NAME_LENGTH];
        int length = 0;
        for (byte b; length < NAME_LENGTH && (b = rows.get(at(index) + NAME + length)) != 0;) {
            name[length++] = b;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    private int at(int index) {
        return checked(index) * ROW;
    }

    private int checked(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("thread " + index + " of " + size);
        }
        return index;
    }

    /** Fills the table by native code. Without that, begin() and add() fill it. */
    void readNative() {
        Thread[] fresh = freshThreads();
        size = 0;
        for (;;) {
            int capacity = rows.capacity() / ROW;
            Thread[] found = fresh == null ? null : new Thread[capacity];
            int threads = Native.allThreads(Native.addressOf(rows), capacity, fresh, found);
            if (threads < 0) {
                throw Clocks.cannotList(-threads);
            }
            if (threads <= capacity) {
                size = threads;
                know(found);
                return;
            }
            rows = NativeMemory.allocate((threads + threads / 4 + 16) * ROW);
        }
    }

    /** Java threads, padded with nulls, of which none has a row yet; null: none has started. */
    private Thread[] freshThreads() {
        Thread[] live = javaThreads.live();
        if (live != null) {
            Set<Thread> old = Collections.newSetFromMap(new IdentityHashMap<>());
            for (Known row : known) {
                old.add(row.thread.get());
            }
            for (int i = 0; i < live.length; i++) {
                live[i] = old.contains(live[i]) ? null : live[i];
            }
        }
        return live;
    }

    /**
     * Threads are remembered by their serials, which are never reused.
     *
     * @param found the fresh Java threads, by their rows; null if there were none
     */
    private void know(Thread[] found) {
        if (!isOfSameRows()) {
            Map<Long, Known> bySerial = new HashMap<>();
            for (Known row : known) {
                bySerial.put(row.serial, row);
            }
            Known[] ofRows = new Known[size];
            for (int i = 0; i < size; i++) {
                Known old = bySerial.get(get(i, SERIAL));
                ofRows[i] = old != null ? old : new Known(get(i, SERIAL), 0, "");
            }
            known = ofRows; // last, so that nothing changes if memory runs out
        }
        for (int i = 0; found != null && i < size; i++) {
            if (found[i] != null) {
                known[i].set(found[i]);
            }
        }
        javaThreads.used();
    }

    private boolean isOfSameRows() {
        boolean same = size == known.length;
        for (int i = 0; same && i < size; i++) {
            same = get(i, SERIAL) == known[i].serial;
        }
        return same;
    }

    /** For filling the table from Java: empties it and reserves room for this many threads. */
    void begin(int capacity) {
        size = 0;
        if (rows.capacity() / ROW < capacity) {
            rows = NativeMemory.allocate(capacity * ROW);
        }
        known = new Known[capacity];
    }

    /** Adds a Java thread whose TID is not known. */
    void add(long javaId, String name, Reading times) {
        int row = size * ROW;
        rows.putInt(row + TID, -1).putLong(row + SERIAL, javaId).putLong(row + USER, times.userNanos)
                .putLong(row + SYSTEM, times.systemNanos).putLong(row + TOTAL, times.totalNanos);
        known[size++] = new Known(javaId, javaId, name);
    }
}
