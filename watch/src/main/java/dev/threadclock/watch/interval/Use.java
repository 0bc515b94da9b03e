// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.interval;

import dev.threadclock.internal.ThreadNames;
import dev.threadclock.watch.sample.ThreadSample;
import dev.threadclock.watch.sample.Times;
import dev.threadclock.watch.sample.VirtualGroup;

/**
 * What one thread, or a pool of them, used in an interval and before.
 *
 * @param name the thread's or, with numbers as *, the pool's
 * @param tid the kernel's id; 0 for a pool, and for ended threads that are not known individually
 * @param serial of the thread; 0 for a pool
 * @param javaId of java.lang.Thread; 0 for a native thread or a pool
 * @param threads the number of threads
 * @param interval used in the interval
 * @param life used since it started
 * @param waitNanos in the interval, runnable without a CPU; {@link #NOT_MEASURED}
 * @param mounted of a group of virtual threads, how many are on a carrier; 0 for others
 */
public record Use(String name, int tid, long serial, long javaId, char state, int threads, Times interval,
        Times life, long waitNanos, int mounted) {
    public static final long NOT_MEASURED = -1;
    static final char ENDED = 'X';
    private static final char VIRTUAL = 'V';
    private static final char NOT_KNOWN = '?';

    public Use(String name, int tid, long serial, long javaId, char state, int threads, Times interval,
            Times life) {
        this(name, tid, serial, javaId, state, threads, interval, life, NOT_MEASURED, 0);
    }

    Use withWait(long nanos) {
        return new Use(name, tid, serial, javaId, state, threads, interval, life, nanos, mounted);
    }

    /** before: at the beginning of the interval. */
    static Use of(ThreadSample thread, Times before) {
        return new Use(thread.name(), thread.tid(), thread.serial(), thread.javaId(), thread.state(), 1,
                thread.times().minus(before),
                thread.times());
    }

    /** before: at the beginning of the interval. */
    static Use of(VirtualGroup group, Times before) {
        return new Use(group.name(), 0, 0, 0, VIRTUAL, group.threads(), group.times().minus(before),
                group.times(), NOT_MEASURED, group.mounted());
    }

    /** A group of virtual threads, whose time is part of their carriers'. */
    public boolean isVirtual() {
        return state == VIRTUAL;
    }

    /** From a recording, in which the use before the interval is unknown. */
    public static Use recorded(long serial, String name, int tid, long javaId, Times interval) {
        return new Use(name, tid, serial, javaId, NOT_KNOWN, 1, interval, interval);
    }

    /** A group of virtual threads from a recording. */
    public static Use recordedGroup(String name, int threads, int mounted, Times interval) {
        return new Use(name, 0, 0, 0, VIRTUAL, threads, interval, interval, NOT_MEASURED, mounted);
    }

    /** The pool's name, which is the same for threads whose names differ only in numbers. */
    public String pool() {
        return ThreadNames.pool(name);
    }

    /** Converts a thread to a pool of one. */
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

    /** Stays the same from one interval to the next. */
    public Object key() {
        return serial != 0 ? serial : isVirtual() ? VIRTUAL + "\n" + name : name;
    }

    private static char busiest(char a, char b) {
        String order = "RDBISWT" + NOT_KNOWN + ENDED;
        return order.indexOf(a) <= order.indexOf(b) ? a : b;
    }
}
