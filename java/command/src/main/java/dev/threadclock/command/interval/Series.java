// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The CPU time of one thread, or of several with the same name, as a growing list of columns in nanoseconds.
 */
public final class Series {
    private final String pool;
    private final String name;
    private int threads;
    private long[] user = new long[0];
    private long[] system = new long[0];

    Series(String pool, String name) {
        this.pool = pool;
        this.name = name;
    }

    public String pool() {
        return pool;
    }

    public String name() {
        return name;
    }

    /** The number of threads that have run. A group of unknown size counts as one. */
    public int threads() {
        return Math.max(1, threads);
    }

    public long userNanos(int column) {
        return column < user.length ? user[column] : 0;
    }

    public long systemNanos(int column) {
        return column < system.length ? system[column] : 0;
    }

    public long userNanos() {
        return LongStream.of(user).sum();
    }

    public long systemNanos() {
        return LongStream.of(system).sum();
    }

    public long nanos() {
        return userNanos() + systemNanos();
    }

    void count(int more) {
        threads += more;
    }

    void add(int column, long userNanos, long systemNanos) {
        if (column >= user.length) {
            int length = Math.max(column + 1, 2 * user.length);
            user = Arrays.copyOf(user, length);
            system = Arrays.copyOf(system, length);
        }
        user[column] += userNanos;
        system[column] += systemNanos;
    }

    void add(Series other, int columns) {
        for (int i = 0; i < columns; i++) {
            add(i, other.userNanos(i), other.systemNanos(i));
        }
    }

    /** Merges each pair of columns into one. */
    void halve() {
        user = halved(user);
        system = halved(system);
    }

    private static long[] halved(long[] nanos) {
        long[] half = new long[(nanos.length + 1) / 2];
        for (int i = 0; i < nanos.length; i++) {
            half[i / 2] += nanos[i];
        }
        return half;
    }
}
