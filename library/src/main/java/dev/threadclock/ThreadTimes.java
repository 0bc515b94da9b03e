// SPDX-License-Identifier: Apache-2.0
// All threads of the process in one pass: who they are, and their times.
package dev.threadclock;

import dev.threadclock.internal.ThreadTable;

/**
 * The threads of this process and their CPU times, read in one pass. Made once and read into again and again. Not thread
 * safe: use one per thread.
 *
 * <pre>{@code
 * ThreadTimes threads = new ThreadTimes();
 * threads.read();
 * for (int i = 0; i < threads.size(); i++) {
 *     System.out.println(threads.name(i) + ": " + threads.userNanos(i));
 * }
 * }</pre>
 *
 * <p>The threads are in the order in which they started. All are there: Java threads with their Java names and ids, those of
 * the garbage collector, the compilers and native libraries with their names in the kernel. A thread that starts or ends
 * while the pass is going on may be missing. Virtual threads are not threads of the process: their carriers are.
 *
 * <p>Without the native library only Java threads are there, with a TID of -1, and user and system may be -1.
 */
public final class ThreadTimes {
    private final ThreadTable table = new ThreadTable();

    /** Room for threads, of which none is read yet. */
    public ThreadTimes() {}

    /**
     * Reads all threads, now. One {@code clock_gettime} a thread, two more for those that have run since the last pass; a new
     * thread costs the reading of its stat file, once. Allocates only when threads have started or ended since.
     *
     * @return how many there are, as {@link #size()}
     * @throws IllegalStateException if they cannot be listed, as without /proc
     */
    public int read() {
        table.read();
        return table.size();
    }

    /** {@return how many threads the last pass found; 0 before the first} */
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
     * The same thread has the same number in every pass of this process, and no other thread ever gets it: not even one that
     * gets its TID.
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     * @return the number that stands for the thread
     */
    public long serial(int index) {
        return table.serial(index);
    }

    /**
     * {@return the id of the Java thread, as {@code Thread.getId()}; 0 if it is no Java thread}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long javaId(int index) {
        return table.javaId(index);
    }

    /**
     * {@return true if it is a Java thread, started by Java or attached; false for one that is about to begin or to end}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public boolean isJava(int index) {
        return javaId(index) != 0;
    }

    /**
     * {@return the name: a Java thread's as it is now; else that in the kernel, at most 15 bytes, as a new string}
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
        return table.userNanos(index);
    }

    /**
     * {@return system time in nanoseconds; -1 if it is not known}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long systemNanos(int index) {
        return table.systemNanos(index);
    }

    /**
     * {@return total CPU time in nanoseconds}
     *
     * @param index which thread, from 0 to {@link #size()} - 1
     */
    public long totalNanos(int index) {
        return table.totalNanos(index);
    }
}
