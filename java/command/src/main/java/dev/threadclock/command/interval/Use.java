// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.internal.Native;

/**
 * The CPU time that one thread, or a pool of threads, used in an interval and before.
 *
 * @param name the name of the thread, or of the pool (numbers in it are replaced by *)
 * @param tid the kernel's id; 0 for a pool, and for ended threads that are not known individually
 * @param serial of the thread; 0 for a pool
 * @param javaId the id of the java.lang.Thread; 0 for a native thread or a pool
 * @param threads the number of threads
 * @param interval used in the interval
 * @param life used since it started
 * @param waitNanos time in which the thread was runnable but had no CPU, in the waits that ended in the
 *     interval: more than it if they began earlier; {@link #NOT_MEASURED} if unknown
 * @param mounted for a group of virtual threads, the number that are on a carrier; otherwise 0
 */
public record Use(String name, int tid, long serial, long javaId, char state, int threads,
        CpuSnapshot interval,
        CpuSnapshot life, long waitNanos, int mounted) {
    public static final long NOT_MEASURED = -1;
    public static final char ENDED = 'X';
    private static final char VIRTUAL = 'V';
    private static final char NOT_KNOWN = '?';

    public Use(String name, int tid, long serial, long javaId, char state, int threads, CpuSnapshot interval,
            CpuSnapshot life) {
        this(name, tid, serial, javaId, state, threads, interval, life, NOT_MEASURED, 0);
    }

    public Use withWait(long nanos) {
        return new Use(name, tid, serial, javaId, state, threads, interval, life, nanos, mounted);
    }

    /** Whether this is a group of virtual threads, whose time is part of their carriers'. */
    public boolean isVirtual() {
        return state == VIRTUAL;
    }

    /** A thread from a recording, in which the use before the interval is unknown. */
    public static Use recorded(long serial, String name, int tid, long javaId, CpuSnapshot interval) {
        return new Use(name, tid, serial, javaId, NOT_KNOWN, 1, interval, interval);
    }

    /** A group of virtual threads. */
    public static Use group(String name, int threads, int mounted, CpuSnapshot interval, CpuSnapshot life) {
        return new Use(name, 0, 0, 0, VIRTUAL, threads, interval, life, NOT_MEASURED, mounted);
    }

    /** The pool's name. It is the same for all threads whose names differ only in numbers. */
    public String pool() {
        return Native.pool(name);
    }

    /** Converts a thread to a pool of one thread. */
    Use asPool() {
        return new Use(pool(), 0, 0, 0, state, threads, interval, life, waitNanos, mounted);
    }

    /** Merges two parts of a pool. */
    Use and(Use other) {
        return new Use(name, 0, 0, 0, busiest(state, other.state), threads + other.threads,
                interval.plus(other.interval),
                life.plus(other.life),
                waitNanos < 0 || other.waitNanos < 0 ? Math.max(waitNanos, other.waitNanos)
                        : waitNanos + other.waitNanos,
                mounted + other.mounted);
    }

    /** Identifies the thread or pool in successive intervals. */
    public Object key() {
        return serial != 0 ? serial : isVirtual() ? VIRTUAL + "\n" + name : name;
    }

    private static char busiest(char a, char b) {
        String order = "RDBISWT" + NOT_KNOWN + ENDED;
        return order.indexOf(a) <= order.indexOf(b) ? a : b;
    }
}
