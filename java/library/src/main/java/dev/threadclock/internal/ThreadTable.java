// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Internal: all threads of the process as one pass found them, behind {@code dev.threadclock.ThreadTimes}:
 * one row of memory each, as native code writes it. Belongs to one thread at a time.
 */
public class ThreadTable {
    /** Size of struct threadclock_thread_row. */
    static final int ROW = 56;
    private static final int TID = 0;
    private static final int SERIAL = 8;
    private static final int USER = 16;
    private static final int SYSTEM = 24;
    private static final int TOTAL = 32;
    private static final int NAME = 40;
    private static final int NAME_LENGTH = 16;

    final JavaThreads javaThreads = new JavaThreads();

    private ByteBuffer rows = NativeMemory.allocate(64 * ROW);
    private int size;

    public void read() {
        Clocks.allThreads(this);
    }

    public int size() {
        return size;
    }

    public int tid(int index) {
        return rows.getInt(at(index) + TID);
    }

    public long serial(int index) {
        return rows.getLong(at(index) + SERIAL);
    }

    public long userNanos(int index) {
        return rows.getLong(at(index) + USER);
    }

    public long systemNanos(int index) {
        return rows.getLong(at(index) + SYSTEM);
    }

    public long totalNanos(int index) {
        return rows.getLong(at(index) + TOTAL);
    }

    public long javaId(int index) {
        return javaThreads.at(checked(index)).id;
    }

    public String name(int index) {
        JavaThreads.Known known = javaThreads.at(checked(index));
        return known.id == 0 ? kernelName(index) : known.name();
    }

    /** The same object in each pass that finds this thread. */
    public CpuIntervals.Row row(int index) {
        return javaThreads.at(index);
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

    ByteBuffer rows() {
        return rows;
    }

    void rows(ByteBuffer others) {
        rows = others;
    }

    void filled(int threads) {
        size = threads;
    }

    /** For filling the table from Java: empties it and reserves room for this many threads. */
    void begin(int capacity) {
        size = 0;
        if (rows.capacity() / ROW < capacity) {
            rows = NativeMemory.allocate(capacity * ROW);
        }
        javaThreads.begin(capacity);
    }

    /** Adds a Java thread whose TID is not known. */
    void add(long javaId, String name, Reading times) {
        int row = size * ROW;
        rows.putInt(row + TID, -1).putLong(row + SERIAL, javaId).putLong(row + USER, times.userNanos)
                .putLong(row + SYSTEM, times.systemNanos).putLong(row + TOTAL, times.totalNanos);
        javaThreads.set(size++, new JavaThreads.Known(javaId, javaId, name));
    }
}
