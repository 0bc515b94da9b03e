// SPDX-License-Identifier: Apache-2.0
// What one thread, or a pool of them, has used in an interval and before.
package dev.threadclock.cli.top;

import dev.threadclock.cli.sample.ThreadSample;
import dev.threadclock.cli.sample.Times;
import dev.threadclock.internal.ThreadNames;

/**
 * @param name the thread's or, with numbers as *, the pool's
 * @param serial of the thread; 0 for a pool
 * @param threads how many this is of
 * @param interval used in the interval
 * @param life used since it started
 */
record Use(String name, int tid, long serial, long javaId, char state, int threads, Times interval, Times life) {
    static final char ENDED = 'X';

    /** before: at the beginning of the interval. */
    static Use of(ThreadSample thread, Times before) {
        Times life = new Times(thread.userNanos(), thread.systemNanos(), thread.totalNanos());
        return new Use(thread.name(), thread.tid(), thread.serial(), thread.javaId(), thread.state(), 1, minus(life, before), life);
    }

    /** The same as a pool of one. */
    Use pool() {
        return new Use(ThreadNames.pool(name), 0, 0, 0, state, threads, interval, life);
    }

    /** Two parts of a pool. */
    Use and(Use other) {
        return new Use(name, 0, 0, 0, busiest(state, other.state), threads + other.threads, plus(interval, other.interval),
                plus(life, other.life));
    }

    /** Stays the same from one interval to the next. */
    Object key() {
        return serial != 0 ? serial : name;
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    static Times minus(Times times, Times before) {
        return new Times(times.userNanos() - before.userNanos(), times.systemNanos() - before.systemNanos(),
                times.totalNanos() - before.totalNanos());
    }

    private static Times plus(Times a, Times b) {
        return new Times(a.userNanos() + b.userNanos(), a.systemNanos() + b.systemNanos(), a.totalNanos() + b.totalNanos());
    }

    private static char busiest(char a, char b) {
        String order = "RDBISWT?" + ENDED;
        return order.indexOf(a) <= order.indexOf(b) ? a : b;
    }
}
