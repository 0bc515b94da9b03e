// SPDX-License-Identifier: Apache-2.0
// What one thread, or a pool of them, has used in an interval and before.
package dev.threadclock.cli.interval;

import dev.threadclock.cli.sample.ThreadSample;
import dev.threadclock.cli.sample.Times;
import dev.threadclock.internal.ThreadNames;

/**
 * @param name the thread's or, with numbers as *, the pool's
 * @param tid the kernel's number; 0 for a pool, and for threads that have ended and are not known one by one
 * @param serial of the thread; 0 for a pool
 * @param javaId of java.lang.Thread; 0: a native thread, or a pool
 * @param threads how many this is of
 * @param interval used in the interval
 * @param life used since it started
 */
public record Use(String name, int tid, long serial, long javaId, char state, int threads, Times interval, Times life) {
    static final char ENDED = 'X';
    private static final char NOT_KNOWN = '?';

    /** before: at the beginning of the interval. */
    static Use of(ThreadSample thread, Times before) {
        return new Use(thread.name(), thread.tid(), thread.serial(), thread.javaId(), thread.state(), 1, thread.times().minus(before),
                thread.times());
    }

    /** As a recording has it: what was used before the interval is not known. */
    public static Use recorded(String name, int tid, long javaId, Times interval) {
        return new Use(name, tid, 0, javaId, NOT_KNOWN, 1, interval, interval);
    }

    /** Threads whose names differ in their numbers only have the same. */
    public String pool() {
        return ThreadNames.pool(name);
    }

    /** The same as a pool of one. */
    Use asPool() {
        return new Use(pool(), 0, 0, 0, state, threads, interval, life);
    }

    /** Two parts of a pool. */
    Use and(Use other) {
        return new Use(name, 0, 0, 0, busiest(state, other.state), threads + other.threads, interval.plus(other.interval),
                life.plus(other.life));
    }

    /** Stays the same from one interval to the next. */
    public Object key() {
        return serial != 0 ? serial : name;
    }

    private static char busiest(char a, char b) {
        String order = "RDBISWT" + NOT_KNOWN + ENDED;
        return order.indexOf(a) <= order.indexOf(b) ? a : b;
    }
}
