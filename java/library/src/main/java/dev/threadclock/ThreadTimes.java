// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.ThreadTable;

/**
 * All threads of this process with their names, ids and CPU times, read in one pass. Create it once and read
 * into it repeatedly. Not thread safe: use one per thread.
 *
 * <pre>{@code
 * ThreadTimes threads = new ThreadTimes();
 * threads.read();
 * System.out.print(threads);
 * }</pre>
 *
 * <p>Threads are listed in the order in which they started. The list includes Java threads, with their Java
 * names and ids, and those of the garbage collector, the compilers and native libraries, with their kernel
 * names. A thread that starts or ends during the pass may be missing. Virtual threads are not threads of the
 * process, but their carriers are.
 *
 * <p>Without the native library only Java threads are listed, with a TID of -1, and user and system may be
 * -1.
 */
public final class ThreadTimes {
    private final ThreadTable table = new ThreadTable();

    /** Creates an empty list, before the first pass. */
    public ThreadTimes() {}

    /**
     * Reads all threads now. One {@code clock_gettime} per thread, and two more for each that has run since
     * the last pass; for a new thread, its stat file is also read once. Allocates only if threads have
     * started or ended since the last pass.
     *
     * @return the number of threads, as {@link #size()}
     * @throws IllegalStateException if they cannot be listed, for example without /proc
     */
    public int read() {
        table.read();
        return table.size();
    }

    /** {@return the number of threads that the last pass found; 0 before the first pass} */
    public int size() {
        return table.size();
    }

    /**
     * {@return the thread's id in the kernel (gettid()); -1 without the native library}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public int tid(int index) {
        return table.tid(index);
    }

    /**
     * A number that identifies the thread in every pass. No other thread of this process ever has the same
     * one, even if it reuses the TID.
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     * @return the thread's serial number
     */
    public long serial(int index) {
        return table.get(index, ThreadTable.SERIAL);
    }

    /**
     * {@return the id of the Java thread, as {@code Thread.getId()}; 0 if it is not a Java thread}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long javaId(int index) {
        return table.javaId(index);
    }

    /**
     * {@return true for a Java thread, started by Java or attached; false for one that is just starting or
     * ending}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public boolean isJava(int index) {
        return javaId(index) != 0;
    }

    /**
     * {@return a Java thread's current name; for other threads the kernel's, at most 15 bytes, as a new
     * string}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public String name(int index) {
        return table.name(index);
    }

    /**
     * {@return user time in nanoseconds; -1 if it is not known}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long userNanos(int index) {
        return table.get(index, ThreadTable.USER);
    }

    /**
     * {@return system time in nanoseconds; -1 if it is not known}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long systemNanos(int index) {
        return table.get(index, ThreadTable.SYSTEM);
    }

    /**
     * {@return total CPU time in nanoseconds}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long totalNanos(int index) {
        return table.get(index, ThreadTable.TOTAL);
    }

    /**
     * {@return the thread's times as a value that later passes do not change}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public CpuSnapshot snapshot(int index) {
        return new CpuSnapshot(userNanos(index), systemNanos(index), totalNanos(index));
    }

    /** {@return the threads of the last pass, a line each: name and times} */
    @Override
    public String toString() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < size(); i++) {
            lines.append(name(i)).append(": ").append(snapshot(i)).append('\n');
        }
        return lines.toString();
    }
}
